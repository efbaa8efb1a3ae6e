-- The tables of a workspace. Times are UTC texts ("2026-11-23T05:40:00Z"); JSON is text.
-- `by` is the uid of the user who did it, and empty in a workspace without users, which has no rows
-- of users and teams either. Secrets of sessions, tokens and links are kept as SHA-256 alone.
-- Where there is no rowid, the columns of the primary key come first: integrity_check of SQLite 3.40
-- takes a column before them for NULL.

CREATE TABLE project (
    id INTEGER PRIMARY KEY,
    uid TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL UNIQUE,
    kind TEXT NOT NULL CHECK (kind IN ('review', 'novelty', 'plain')),
    title TEXT NOT NULL,
    details TEXT NOT NULL DEFAULT '{}',  -- what only a person knows: answers to the questions of reports
    created TEXT NOT NULL,
    archived INTEGER NOT NULL DEFAULT 0,
    version INTEGER NOT NULL DEFAULT 1, -- what two people may change at once: who sends an older one is shown both
    -- A project that is being imported or deleted: its rows come and go in many transactions, and until
    -- the last one nothing shows it. '': it is there for all. 'leaving': it was deleted, and the rest of
    -- its rows goes. Else it is being imported, and this is the end of the name of the file beside the
    -- workspace that is locked as long: whose file nobody has locked is left of a program that has died.
    hidden TEXT NOT NULL DEFAULT ''
) STRICT;

-- --------------------------------------------------------------------- strategies

CREATE TABLE strategy (
    id INTEGER PRIMARY KEY,
    project INTEGER NOT NULL REFERENCES project ON DELETE CASCADE,
    name TEXT NOT NULL,
    note TEXT NOT NULL DEFAULT '',
    sources TEXT NOT NULL DEFAULT '[]',  -- names of sources and groups, as typed; none: the default set
    years TEXT NOT NULL DEFAULT '',
    details TEXT NOT NULL DEFAULT '{}',  -- derived from, filters, limits, peer review
    created TEXT NOT NULL,
    version INTEGER NOT NULL DEFAULT 1,
    -- Within the project, never used again. The log names a strategy by it: the number of a row means
    -- another strategy in another workspace.
    number INTEGER NOT NULL DEFAULT 0,
    UNIQUE (project, name)
) STRICT;

CREATE UNIQUE INDEX strategy_number ON strategy (project, number);
CREATE TRIGGER strategy_numbered AFTER INSERT ON strategy WHEN NEW.number = 0
BEGIN
    UPDATE strategy SET number = (
        SELECT max(number) + 1 FROM strategy WHERE project = NEW.project
    ) WHERE id = NEW.id;
END;

-- A number is never used again: a step that is removed stays as a row.
CREATE TABLE step (
    id INTEGER PRIMARY KEY,
    strategy INTEGER NOT NULL REFERENCES strategy ON DELETE CASCADE,
    number INTEGER NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('query', 'combine', 'import')),
    text TEXT NOT NULL,                  -- as typed
    syntax TEXT NOT NULL DEFAULT 'auto',
    note TEXT NOT NULL DEFAULT '',
    details TEXT NOT NULL DEFAULT '{}',  -- of an import: where, when, by whom, file, its digest
    edited TEXT NOT NULL,
    removed INTEGER NOT NULL DEFAULT 0,
    version INTEGER NOT NULL DEFAULT 1,
    UNIQUE (strategy, number)
) STRICT;

CREATE TABLE step_parent (
    step INTEGER NOT NULL REFERENCES step ON DELETE CASCADE,
    parent INTEGER NOT NULL REFERENCES step,
    PRIMARY KEY (step, parent)
) STRICT, WITHOUT ROWID;
CREATE INDEX step_parent_parent ON step_parent (parent);

-- --------------------------------------------------------------------- runs

-- "interrupted": its process ended before it did; it can be resumed or ended. "stopped": by a person.
CREATE TABLE run (
    id INTEGER PRIMARY KEY,
    project INTEGER NOT NULL REFERENCES project ON DELETE CASCADE,
    strategy INTEGER NOT NULL REFERENCES strategy ON DELETE CASCADE,
    number INTEGER NOT NULL,             -- within the project, from 1
    mode TEXT NOT NULL CHECK (mode IN ('records', 'counts', 'import')),
    status TEXT NOT NULL CHECK (status IN ('running', 'done', 'stopped', 'interrupted')),
    by TEXT NOT NULL DEFAULT '',
    started TEXT NOT NULL,
    ended TEXT,
    tool TEXT NOT NULL,                  -- "metasearch 0.1.0"
    options TEXT NOT NULL DEFAULT '{}',  -- sources, records of each, years, dedup, versions, digest of the pins
    recorded TEXT NOT NULL DEFAULT '',   -- the folder of recorded answers, '' where none were kept
    UNIQUE (project, number)
) STRICT;
CREATE INDEX run_strategy ON run (strategy);
CREATE INDEX run_running ON run (project) WHERE status = 'running';

-- Who carries out a run that is under way: runs/carriers.py. Its end deletes the row.
CREATE TABLE run_carrier (
    run INTEGER PRIMARY KEY REFERENCES run ON DELETE CASCADE,
    claim TEXT NOT NULL,                 -- random: of who has begun or resumed it last
    place TEXT NOT NULL,                 -- host, its boot, and the namespace of its processes
    process INTEGER NOT NULL,
    began TEXT NOT NULL,                 -- when that process did, in the words of its system; '' unknown
    alive REAL NOT NULL,                 -- Unix time of the last sign of life
    stop INTEGER NOT NULL DEFAULT 0      -- 1: a person wants it stopped
) STRICT;

-- What one source said to one step in one run. A number that is not known is NULL, never 0.
CREATE TABLE answer (
    id INTEGER PRIMARY KEY,
    run INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
    step INTEGER NOT NULL REFERENCES step,
    source TEXT NOT NULL,
    label TEXT NOT NULL,                 -- the name of the source for people
    place TEXT NOT NULL DEFAULT 'database' CHECK (place IN ('database', 'register', 'other')),
    status TEXT NOT NULL,                -- of metasearch.events.Status
    error TEXT NOT NULL DEFAULT '',
    advice TEXT NOT NULL DEFAULT '',
    digest TEXT NOT NULL DEFAULT '',     -- of the query of the step with its parents put in
    query TEXT NOT NULL DEFAULT '',      -- that query, in metasearch's syntax
    sent TEXT NOT NULL DEFAULT '',       -- as the source received it
    requests TEXT NOT NULL DEFAULT '[]', -- [{method, url, body}], without keys
    claimed INTEGER,                     -- hits that the source says it has
    exact INTEGER NOT NULL DEFAULT 1,    -- whether the claim is of the whole query: nothing of it was lost or filtered here
    fetched INTEGER,                     -- records that were kept; NULL in counts mode
    filtered INTEGER,                    -- records that were received and left out by us
    unread INTEGER,                      -- records that could not be read
    asked_at TEXT,                       -- when the page was fetched: of a cached page earlier than the run
    cached INTEGER NOT NULL DEFAULT 0,
    seconds REAL,
    notes TEXT NOT NULL DEFAULT '[]',    -- what of the query was lost
    sentences TEXT NOT NULL DEFAULT '',  -- error, advice, notes with their templates: store/values.py
    spec TEXT NOT NULL DEFAULT '',       -- digest of the spec of the source
    half INTEGER NOT NULL DEFAULT 0,      -- 1: its run ended while its records were stored; a run that is resumed asks for them again
    UNIQUE (run, step, source)
) STRICT;
CREATE INDEX answer_step ON answer (step, source);

-- --------------------------------------------------------------------- records and works

-- One version of a record; when a source gives it otherwise the next time, that is a row of its own,
-- and the older one names it.
CREATE TABLE record (
    id INTEGER PRIMARY KEY,
    project INTEGER NOT NULL REFERENCES project ON DELETE CASCADE,
    source TEXT NOT NULL,
    key TEXT NOT NULL,                   -- "source:id"
    digest TEXT NOT NULL,
    body BLOB NOT NULL,                  -- bib/record_json.py
    position INTEGER NOT NULL DEFAULT 0, -- in the first answer that gave it
    added TEXT NOT NULL,
    superseded INTEGER REFERENCES record,
    UNIQUE (project, key, digest)
) STRICT;
CREATE INDEX record_superseded ON record (superseded) WHERE superseded IS NOT NULL;

CREATE TABLE finding (
    answer INTEGER NOT NULL REFERENCES answer ON DELETE CASCADE,
    record INTEGER NOT NULL REFERENCES record ON DELETE CASCADE,
    position INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (answer, record)
) STRICT, WITHOUT ROWID;
CREATE INDEX finding_record ON finding (record);

-- Records that an answer has brought and that stand in no work yet (works/intake.py). Those of an
-- import that has not ended are taken back where its process was killed.
CREATE TABLE entering (
    record INTEGER PRIMARY KEY REFERENCES record ON DELETE CASCADE,
    project INTEGER NOT NULL REFERENCES project ON DELETE CASCADE,
    answer INTEGER NOT NULL REFERENCES answer ON DELETE CASCADE,
    is_new INTEGER NOT NULL,             -- whether the answer has brought the row, or only named it again
    replaces INTEGER REFERENCES record ON DELETE SET NULL,  -- the version of before
    placed INTEGER NOT NULL DEFAULT 0,   -- whether it stands at its places
    near TEXT NOT NULL DEFAULT '[]'      -- records of works that may be the same work
) STRICT;
CREATE INDEX entering_project ON entering (project, placed, record);
CREATE INDEX entering_answer ON entering (answer);
CREATE INDEX entering_replaces ON entering (replaces) WHERE replaces IS NOT NULL;

-- What lists are filtered and sorted by; all of it is computed from the hit of the work. The hit
-- stands in a table of its own, so that a list of 100,000 works does not read them all.
CREATE TABLE work (
    id INTEGER PRIMARY KEY,
    project INTEGER NOT NULL REFERENCES project ON DELETE CASCADE,
    uid TEXT NOT NULL UNIQUE,            -- random; stays for ever
    component INTEGER NOT NULL,          -- works that a new record may join or divide together
    title TEXT NOT NULL DEFAULT '',
    title_key TEXT NOT NULL DEFAULT '',  -- folded, for sorting
    author TEXT NOT NULL DEFAULT '',     -- the first one, for the list
    author_key TEXT NOT NULL DEFAULT '', -- folded, for sorting
    year INTEGER,
    type TEXT NOT NULL DEFAULT '',
    venue TEXT NOT NULL DEFAULT '',
    language TEXT NOT NULL DEFAULT '',
    doi TEXT NOT NULL DEFAULT '',
    citations INTEGER,
    open_access TEXT NOT NULL DEFAULT '',
    retracted INTEGER NOT NULL DEFAULT 0,
    position INTEGER NOT NULL DEFAULT 2147483647, -- the best one that any of its records had
    first_run INTEGER NOT NULL REFERENCES run,
    added TEXT NOT NULL
) STRICT;
CREATE INDEX work_component ON work (project, component);
CREATE INDEX work_title ON work (project, title_key);
CREATE INDEX work_facets ON work (project, year, type, language, open_access, first_run);
-- A run that goes is one that found no work; without this all works are looked through for it.
CREATE INDEX work_first_run ON work (first_run);

CREATE TABLE work_body (
    work INTEGER PRIMARY KEY REFERENCES work ON DELETE CASCADE,
    hit BLOB NOT NULL,                   -- formats/hits.py
    words TEXT NOT NULL DEFAULT ''       -- folded title, authors, abstract; Chinese characters one by one
) STRICT;

-- Written beside `work_body` by works/records.py: no trigger may write to a virtual table where the
-- schema is not trusted.
CREATE VIRTUAL TABLE work_words USING fts5(words, content='work_body', content_rowid='work');

-- Superseded records stand where the newest version stands.
CREATE TABLE work_record (
    record INTEGER PRIMARY KEY REFERENCES record ON DELETE CASCADE,
    work INTEGER NOT NULL REFERENCES work ON DELETE CASCADE
) STRICT;
CREATE INDEX work_record_work ON work_record (work);

CREATE TABLE work_source (
    -- Columns of the key first: else integrity_check of SQLite 3.40 sees a NULL where there is none.
    work INTEGER NOT NULL REFERENCES work ON DELETE CASCADE,
    source TEXT NOT NULL,
    project INTEGER NOT NULL REFERENCES project ON DELETE CASCADE,
    PRIMARY KEY (work, source)
) STRICT, WITHOUT ROWID;
CREATE INDEX work_source_source ON work_source (project, source);

-- What a work was when it became part of another one; it comes back when that one is divided.
CREATE TABLE joined_work (
    uid TEXT PRIMARY KEY,
    project INTEGER NOT NULL REFERENCES project ON DELETE CASCADE,
    work INTEGER NOT NULL REFERENCES work ON DELETE CASCADE,
    key TEXT NOT NULL,                   -- of its oldest record
    state TEXT NOT NULL,                 -- decisions, tags, notes
    at TEXT NOT NULL
) STRICT;
CREATE INDEX joined_work_work ON joined_work (work);
CREATE INDEX joined_work_project ON joined_work (project);

-- Where a record is looked for: hashes of the keys of the matchers, without those that are
-- superseded. `year` is 0 where it is unknown. No reference to the record: places are removed with it.
CREATE TABLE record_place (
    project INTEGER NOT NULL REFERENCES project ON DELETE CASCADE,
    place INTEGER NOT NULL,
    year INTEGER NOT NULL,
    record INTEGER NOT NULL,
    PRIMARY KEY (project, place, year, record)
) STRICT, WITHOUT ROWID;

-- Signatures that are compared one and all: of the few records that say neither author nor year.
CREATE TABLE record_signature (
    record INTEGER NOT NULL REFERENCES record ON DELETE CASCADE,
    matcher TEXT NOT NULL,
    project INTEGER NOT NULL REFERENCES project ON DELETE CASCADE,
    signature INTEGER NOT NULL,
    PRIMARY KEY (record, matcher)
) STRICT, WITHOUT ROWID;
CREATE INDEX record_signature_project ON record_signature (project, matcher);

-- What shows that two records are not one work, without reading them: dedup/apart.py.
CREATE TABLE record_sketch (
    record INTEGER PRIMARY KEY REFERENCES record ON DELETE CASCADE,
    sketch INTEGER NOT NULL
) STRICT;

-- How often a title returns in a journal: dedup/components.py.
CREATE TABLE journal_title (
    project INTEGER NOT NULL REFERENCES project ON DELETE CASCADE,
    place INTEGER NOT NULL,              -- hash of title and journal
    facts TEXT NOT NULL,                 -- years, volumes, first pages
    recurs INTEGER NOT NULL DEFAULT 0,   -- 1: that of a column
    PRIMARY KEY (project, place)
) STRICT, WITHOUT ROWID;

-- By which rules the works of a project were made.
CREATE TABLE works_made (
    project INTEGER PRIMARY KEY REFERENCES project ON DELETE CASCADE,
    rules TEXT NOT NULL,
    pins INTEGER NOT NULL DEFAULT 0      -- grows with each change of the pins, so that works that were made meanwhile are not written
) STRICT;

-- Any name of a work: its own id, earlier ids, keys of records, "doi:...", "pmid:...", ids of hits.
-- An identifier may be that of several works.
CREATE TABLE alias (
    project INTEGER NOT NULL REFERENCES project ON DELETE CASCADE,
    name TEXT NOT NULL,
    work INTEGER NOT NULL REFERENCES work ON DELETE CASCADE,
    PRIMARY KEY (project, name, work)
) STRICT, WITHOUT ROWID;
CREATE INDEX alias_work ON alias (work);

-- --------------------------------------------------------------------- what people decide

-- stage 'title': relevant, close, excluded. stage 'fulltext': relevant, excluded, unavailable.
CREATE TABLE decision (
    work INTEGER NOT NULL REFERENCES work ON DELETE CASCADE,
    stage TEXT NOT NULL CHECK (stage IN ('title', 'fulltext')),
    by TEXT NOT NULL DEFAULT '',
    verdict TEXT NOT NULL CHECK (verdict IN ('relevant', 'close', 'excluded', 'unavailable')),
    reason TEXT NOT NULL DEFAULT '',
    at TEXT NOT NULL,
    PRIMARY KEY (work, stage, by)
) STRICT, WITHOUT ROWID;

CREATE TABLE tag (
    work INTEGER NOT NULL REFERENCES work ON DELETE CASCADE,
    text TEXT NOT NULL,
    PRIMARY KEY (work, text)
) STRICT, WITHOUT ROWID;
CREATE INDEX tag_text ON tag (text);

CREATE TABLE note (
    work INTEGER NOT NULL REFERENCES work ON DELETE CASCADE,
    by TEXT NOT NULL DEFAULT '',
    text TEXT NOT NULL,
    at TEXT NOT NULL,
    version INTEGER NOT NULL DEFAULT 1,   -- number of the change that wrote it: removed and written again, it is another
    PRIMARY KEY (work, by)
) STRICT, WITHOUT ROWID;

CREATE TABLE pin (
    id INTEGER PRIMARY KEY,
    project INTEGER NOT NULL REFERENCES project ON DELETE CASCADE,
    verdict TEXT NOT NULL CHECK (verdict IN ('same', 'different')),
    a TEXT NOT NULL,
    b TEXT NOT NULL,
    note TEXT NOT NULL DEFAULT '',
    by TEXT NOT NULL DEFAULT '',
    at TEXT NOT NULL,
    UNIQUE (project, a, b)
) STRICT;

-- Works that the searches are expected to find.
CREATE TABLE known_work (
    id INTEGER PRIMARY KEY,
    project INTEGER NOT NULL REFERENCES project ON DELETE CASCADE,
    name TEXT NOT NULL,                  -- as given: a DOI, a title, ...
    body BLOB NOT NULL,                  -- bib/record_json.py
    UNIQUE (project, name)
) STRICT;

-- Ways of searching that metasearch does not do: browsing, citations, contacts.
CREATE TABLE other_source (
    id INTEGER PRIMARY KEY,
    project INTEGER NOT NULL REFERENCES project ON DELETE CASCADE,
    kind TEXT NOT NULL CHECK (kind IN ('website', 'organisation', 'browse', 'citation', 'contact', 'register', 'other')),
    name TEXT NOT NULL,
    details TEXT NOT NULL DEFAULT '{}',  -- how, date, found, sought, not retrieved, assessed, excluded by reason, included
    version INTEGER NOT NULL DEFAULT 1
) STRICT;

CREATE TABLE report (
    id INTEGER PRIMARY KEY,
    project INTEGER NOT NULL REFERENCES project ON DELETE CASCADE,
    kind TEXT NOT NULL,
    number TEXT NOT NULL,                -- of a novelty report by its pattern, else "1", "2"
    data TEXT NOT NULL,                  -- the numbers and texts that it was made of
    document TEXT NOT NULL,              -- reports/document.py as JSON
    digest TEXT NOT NULL,                -- SHA-256 of the document
    last_run INTEGER REFERENCES run,     -- the newest one that it covers
    frozen TEXT NOT NULL,
    UNIQUE (project, kind, number)
) STRICT;
CREATE INDEX report_last_run ON report (last_run) WHERE last_run IS NOT NULL;

-- Append-only: every change of a project. An undo is a change of its own that names the one it undoes.
CREATE TABLE change (
    id INTEGER PRIMARY KEY,
    project INTEGER NOT NULL REFERENCES project ON DELETE CASCADE,
    at TEXT NOT NULL,
    by TEXT NOT NULL DEFAULT '',
    action TEXT NOT NULL,                -- "mark works", "edit step", ...
    object TEXT NOT NULL,                -- "work:UID", "step:STRATEGY/3", "project"
    before TEXT NOT NULL DEFAULT 'null',
    after TEXT NOT NULL DEFAULT 'null',
    undoes INTEGER REFERENCES change
) STRICT;
CREATE INDEX change_project ON change (project, id);
CREATE INDEX change_undoes ON change (undoes) WHERE undoes IS NOT NULL;
CREATE TRIGGER change_stays BEFORE UPDATE ON change BEGIN SELECT RAISE(ABORT, 'the log is append-only'); END;

-- ------------------------------------------------ what projects take, for the quotas of their owners

-- Counted by triggers, so that whatever adds a row is counted, and no quota reads all records.
CREATE TABLE stored (
    project INTEGER PRIMARY KEY REFERENCES project ON DELETE CASCADE,
    records INTEGER NOT NULL DEFAULT 0,  -- rows, versions included
    bytes INTEGER NOT NULL DEFAULT 0,    -- of records, reports and lines of the log
    pages INTEGER NOT NULL DEFAULT 0     -- bytes of recorded pages beside the workspace
) STRICT;

CREATE TRIGGER stored_project AFTER INSERT ON project
BEGIN INSERT OR IGNORE INTO stored (project) VALUES (NEW.id); END;

CREATE TRIGGER stored_record AFTER INSERT ON record
BEGIN UPDATE stored SET records = records + 1, bytes = bytes + length(NEW.body)
    WHERE project = NEW.project; END;
CREATE TRIGGER stored_record_gone AFTER DELETE ON record
BEGIN UPDATE stored SET records = records - 1, bytes = bytes - length(OLD.body)
    WHERE project = OLD.project; END;
CREATE TRIGGER stored_report AFTER INSERT ON report
BEGIN UPDATE stored SET bytes = bytes + length(CAST(NEW.document AS BLOB))
    WHERE project = NEW.project; END;
CREATE TRIGGER stored_report_gone AFTER DELETE ON report
BEGIN UPDATE stored SET bytes = bytes - length(CAST(OLD.document AS BLOB))
    WHERE project = OLD.project; END;
CREATE TRIGGER stored_change AFTER INSERT ON change
BEGIN UPDATE stored SET bytes = bytes + length(CAST(NEW.before AS BLOB)) + length(CAST(NEW.after AS BLOB))
    WHERE project = NEW.project; END;
CREATE TRIGGER stored_change_gone AFTER DELETE ON change
BEGIN UPDATE stored SET bytes = bytes - length(CAST(OLD.before AS BLOB)) - length(CAST(OLD.after AS BLOB))
    WHERE project = OLD.project; END;

-- --------------------------------------------------------------------- users

CREATE TABLE user (
    id INTEGER PRIMARY KEY,
    uid TEXT NOT NULL UNIQUE,            -- random; stays for ever
    name TEXT NOT NULL UNIQUE,           -- typed at login; NFKC, case folded
    shown TEXT NOT NULL DEFAULT '',      -- the name for people
    email TEXT NOT NULL DEFAULT '',
    role TEXT NOT NULL CHECK (role IN ('administrator', 'user', 'guest')),
    origin TEXT NOT NULL DEFAULT 'local' CHECK (origin IN ('local', 'header', 'oidc')),
    subject TEXT NOT NULL DEFAULT '',    -- the name that a proxy or a provider gives: header value, "ISSUER SUB"
    password TEXT NOT NULL DEFAULT '',   -- Argon2id with its parameters; '' where none can be used
    disabled INTEGER NOT NULL DEFAULT 0,
    preferences TEXT NOT NULL DEFAULT '{}', -- language, databases, style of citations, e-mails
    quotas TEXT NOT NULL DEFAULT '{}',   -- limits of this user that differ from the configured ones
    created TEXT NOT NULL,
    last_login TEXT,
    version INTEGER NOT NULL DEFAULT 1,
    -- The address at which the user has opened a link, or that a provider has verified: e-mails go there
    -- alone, and only while it is that of `email`.
    proved TEXT NOT NULL DEFAULT ''
) STRICT;
CREATE UNIQUE INDEX user_subject ON user (origin, subject) WHERE subject <> '';

CREATE TABLE session (
    id INTEGER PRIMARY KEY,
    digest BLOB NOT NULL UNIQUE,
    user INTEGER NOT NULL REFERENCES user ON DELETE CASCADE,
    agent TEXT NOT NULL DEFAULT '',      -- "Firefox on Linux", for the list of sessions
    created TEXT NOT NULL,
    seen TEXT NOT NULL,
    expires TEXT NOT NULL                -- the latest end, whatever is seen
) STRICT;
CREATE INDEX session_user ON session (user);

CREATE TABLE token (
    id INTEGER PRIMARY KEY,
    digest BLOB NOT NULL UNIQUE,
    user INTEGER NOT NULL REFERENCES user ON DELETE CASCADE,
    name TEXT NOT NULL,
    scopes TEXT NOT NULL,                -- of "search read write", separated by blanks
    created TEXT NOT NULL,
    expires TEXT NOT NULL,
    used TEXT
) STRICT;
CREATE INDEX token_user ON token (user);

-- Addresses that are used once: to set a password, to join a project, to make an account.
CREATE TABLE link (
    id INTEGER PRIMARY KEY,
    digest BLOB NOT NULL UNIQUE,
    kind TEXT NOT NULL CHECK (kind IN ('password', 'account', 'member')),
    user INTEGER REFERENCES user ON DELETE CASCADE,        -- whose password
    project INTEGER REFERENCES project ON DELETE CASCADE,  -- which one to join
    role TEXT NOT NULL DEFAULT '',       -- in the project, or of the account
    by TEXT NOT NULL DEFAULT '',
    created TEXT NOT NULL,
    expires TEXT NOT NULL,
    used TEXT
) STRICT;
CREATE INDEX link_project ON link (project);
CREATE INDEX link_user ON link (user);

-- Failed logins. A key is a kind and a digest: "name:" of the name that was typed, "client:" of the
-- pseudonym of an address, "both:" and "known:" of both; "known:" is a client that has logged in.
CREATE TABLE login_failure (
    key TEXT PRIMARY KEY,
    failures INTEGER NOT NULL,
    since TEXT NOT NULL,                 -- the first of them
    until TEXT NOT NULL                  -- no attempt before; a day later it is forgotten
) STRICT, WITHOUT ROWID;
CREATE INDEX login_failure_until ON login_failure (until);

-- Logins at an OpenID provider that have come back: each is of use once, in whichever process.
CREATE TABLE login_state (
    digest BLOB PRIMARY KEY,
    until TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- What users have taken of their quotas.
CREATE TABLE usage (
    user INTEGER NOT NULL REFERENCES user ON DELETE CASCADE,
    day TEXT NOT NULL,                   -- "2026-11-23", UTC
    kind TEXT NOT NULL,
    amount INTEGER NOT NULL,
    PRIMARY KEY (user, day, kind)
) STRICT, WITHOUT ROWID;

CREATE TABLE audit (
    id INTEGER PRIMARY KEY,
    at TEXT NOT NULL,
    actor TEXT NOT NULL DEFAULT '',      -- uid of a user; '' for the command line and strangers
    action TEXT NOT NULL,                -- "login", "login failed", "role", "delete project", ...
    object TEXT NOT NULL DEFAULT '',     -- "user:UID", "project:UID"
    detail TEXT NOT NULL DEFAULT '{}',
    client TEXT NOT NULL DEFAULT ''      -- a pseudonym of the address
) STRICT;
CREATE INDEX audit_actor ON audit (actor, id);
CREATE TRIGGER audit_stays BEFORE UPDATE ON audit BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;

-- What an administrator has switched on or off for all searches of a server, against the configuration.
CREATE TABLE source_switch (
    source TEXT PRIMARY KEY,
    enabled INTEGER NOT NULL CHECK (enabled IN (0, 1)),
    by TEXT NOT NULL DEFAULT '',
    at TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- Links that prove an address: one of each user. Its secret is made when the e-mail is sent.
CREATE TABLE address_proof (
    user INTEGER PRIMARY KEY REFERENCES user ON DELETE CASCADE,
    address TEXT NOT NULL,
    digest BLOB UNIQUE,                  -- NULL: the e-mail is still to be sent
    next_try TEXT NOT NULL,              -- no e-mail before
    tries INTEGER NOT NULL DEFAULT 0,
    expires TEXT NOT NULL                -- of the e-mail and of its link
) STRICT;

-- E-mails with such links, of the last day: "user:UID", and "address:" with a digest of the address.
CREATE TABLE address_mail (
    key TEXT NOT NULL,
    at TEXT NOT NULL
) STRICT;
CREATE INDEX address_mail_key ON address_mail (key, at);

-- --------------------------------------------------------------------- teams

CREATE TABLE member (
    project INTEGER NOT NULL REFERENCES project ON DELETE CASCADE,
    user INTEGER NOT NULL REFERENCES user ON DELETE CASCADE,
    role TEXT NOT NULL CHECK (role IN ('owner', 'editor', 'screener', 'reader')),
    added TEXT NOT NULL,
    PRIMARY KEY (project, user)
) STRICT, WITHOUT ROWID;
CREATE INDEX member_user ON member (user);

-- A stage that several people screen, each for themselves. Rows of `decision` with the uid of a user
-- are their votes; the row with '' is what the project has decided, and what reports count.
CREATE TABLE screening (
    project INTEGER NOT NULL REFERENCES project ON DELETE CASCADE,
    stage TEXT NOT NULL CHECK (stage IN ('title', 'fulltext')),
    needed INTEGER NOT NULL DEFAULT 2 CHECK (needed BETWEEN 1 AND 5), -- votes of a work
    blind INTEGER NOT NULL DEFAULT 1 CHECK (blind IN (0, 1)),
    created TEXT NOT NULL,
    ended TEXT,                          -- NULL: it goes on. Votes stay, and reports tell of them
    PRIMARY KEY (project, stage)
) STRICT, WITHOUT ROWID;

CREATE TABLE screener (
    project INTEGER NOT NULL REFERENCES project ON DELETE CASCADE,
    stage TEXT NOT NULL CHECK (stage IN ('title', 'fulltext')),
    by TEXT NOT NULL CHECK (by <> ''),   -- uid of a user
    PRIMARY KEY (project, stage, by)
) STRICT, WITHOUT ROWID;

-- What somebody has decided on a work whose votes differ. It holds for just these votes.
CREATE TABLE resolution (
    work INTEGER NOT NULL REFERENCES work ON DELETE CASCADE,
    stage TEXT NOT NULL CHECK (stage IN ('title', 'fulltext')),
    votes TEXT NOT NULL,                 -- [by, verdict, reason] of each, by `by`
    verdict TEXT NOT NULL CHECK (verdict IN ('relevant', 'close', 'excluded', 'unavailable')),
    reason TEXT NOT NULL DEFAULT '',
    by TEXT NOT NULL DEFAULT '',         -- who resolved it
    at TEXT NOT NULL,
    PRIMARY KEY (work, stage)
) STRICT, WITHOUT ROWID;

-- Works of a stage whose votes somebody could see who had not given them. They stay so, whatever
-- becomes of the votes and of the number that is needed, and a vote that is given afterwards is not
-- independent of the others.

CREATE TABLE opened (
    work INTEGER NOT NULL REFERENCES work ON DELETE CASCADE,
    stage TEXT NOT NULL CHECK (stage IN ('title', 'fulltext')),
    PRIMARY KEY (work, stage)
) STRICT, WITHOUT ROWID;

-- Who has searched, and who has checked, a report of a novelty search.
CREATE TABLE signature (
    report INTEGER NOT NULL REFERENCES report ON DELETE CASCADE,
    role TEXT NOT NULL CHECK (role IN ('searcher', 'reviewer')),
    by TEXT NOT NULL,
    name TEXT NOT NULL,                  -- as signed
    digest TEXT NOT NULL,                -- of the report that was signed
    at TEXT NOT NULL,
    PRIMARY KEY (report, role)
) STRICT, WITHOUT ROWID;

-- --------------------------------------------------------------------- saved searches

CREATE TABLE saved_search (
    id INTEGER PRIMARY KEY,
    uid TEXT NOT NULL UNIQUE,
    owner TEXT NOT NULL DEFAULT '',      -- uid of a user
    name TEXT NOT NULL,
    query TEXT NOT NULL,                 -- as typed
    syntax TEXT NOT NULL DEFAULT 'auto',
    sources TEXT NOT NULL DEFAULT '[]',  -- names of sources and groups; none: the default set
    years TEXT NOT NULL DEFAULT '',
    options TEXT NOT NULL DEFAULT '{}',  -- records of each source
    schedule TEXT NOT NULL DEFAULT '',   -- "", "daily", "weekly mon", "monthly 1"
    next_run TEXT,                       -- NULL: none is planned
    paused TEXT NOT NULL DEFAULT '',     -- why no run is planned any more
    sentences TEXT NOT NULL DEFAULT '',  -- that, as it can be translated
    email INTEGER NOT NULL DEFAULT 0,
    -- Part of the address of its feed, which feed readers, that cannot log in, ask for. It is kept as it
    -- is, so that the address can be shown again; a new one revokes the old one.
    feed TEXT NOT NULL UNIQUE,
    baseline TEXT NOT NULL DEFAULT '',   -- digest of what was asked in the last run; another one begins a new baseline
    created TEXT NOT NULL,
    version INTEGER NOT NULL DEFAULT 1,
    UNIQUE (owner, name)
) STRICT;
CREATE INDEX saved_search_due ON saved_search (next_run) WHERE next_run IS NOT NULL;

CREATE TABLE saved_run (
    id INTEGER PRIMARY KEY,
    saved INTEGER NOT NULL REFERENCES saved_search ON DELETE CASCADE,
    number INTEGER NOT NULL,             -- within the saved search, from 1
    -- stopped: before its end, by a shutdown or a crash; nothing was seen or told
    status TEXT NOT NULL CHECK (status IN ('running', 'done', 'failed', 'stopped')),
    baseline INTEGER NOT NULL DEFAULT 0, -- 1: only retractions are told of it
    started TEXT NOT NULL,
    ended TEXT,
    works INTEGER,
    waiting INTEGER NOT NULL DEFAULT 0,  -- works that the next run tells, because one tells no more
    passed_over INTEGER NOT NULL DEFAULT 0, -- works that are not told for the same reason
    error TEXT NOT NULL DEFAULT '',
    sentences TEXT NOT NULL DEFAULT '',  -- that, as it can be translated
    UNIQUE (saved, number)
) STRICT;

CREATE TABLE saved_answer (
    run INTEGER NOT NULL REFERENCES saved_run ON DELETE CASCADE,
    source TEXT NOT NULL,
    status TEXT NOT NULL,                -- of metasearch.events.Status
    PRIMARY KEY (run, source)
) STRICT, WITHOUT ROWID;

-- Every name of every work that a run has found: keys of records, "doi:...", "pmid:...". Of too many,
-- those that were found longest ago are forgotten.
CREATE TABLE saved_name (
    saved INTEGER NOT NULL REFERENCES saved_search ON DELETE CASCADE,
    name TEXT NOT NULL,
    state TEXT NOT NULL DEFAULT '',      -- "preprint", "corrected", "retracted": what a change of is told
    run INTEGER NOT NULL,                -- number of the last run that has found it
    PRIMARY KEY (saved, name)
) STRICT, WITHOUT ROWID;

-- What is told.
CREATE TABLE saved_news (
    id INTEGER PRIMARY KEY,
    uid TEXT NOT NULL UNIQUE,            -- of its entry in feeds
    run INTEGER NOT NULL REFERENCES saved_run ON DELETE CASCADE,
    saved INTEGER NOT NULL REFERENCES saved_search ON DELETE CASCADE,
    kind TEXT NOT NULL CHECK (kind IN ('new', 'version', 'retracted', 'late')),
    hit BLOB NOT NULL,                   -- formats/hits.py
    at TEXT NOT NULL
) STRICT;
CREATE INDEX saved_news_saved ON saved_news (saved, id);

-- E-mails: one of each user and day. What is "sending" is being handed to the mail server: where its
-- process ends before it has noted the outcome, it is "unclear" and is not sent again.
CREATE TABLE mail (
    id INTEGER PRIMARY KEY,
    message_id TEXT NOT NULL UNIQUE,
    owner TEXT NOT NULL,                 -- uid of a user; '' for what belongs to none
    day TEXT NOT NULL,
    last_news INTEGER NOT NULL,          -- the newest that it tells of
    status TEXT NOT NULL CHECK (status IN ('waiting', 'sending', 'sent', 'unclear', 'failed')),
    tries INTEGER NOT NULL DEFAULT 0,
    next_try TEXT,
    error TEXT NOT NULL DEFAULT '',
    at TEXT NOT NULL,                    -- of the last change
    UNIQUE (owner, day)
) STRICT;

-- Whether somebody gets e-mails.
CREATE TABLE mail_owner (
    owner TEXT PRIMARY KEY,
    off TEXT NOT NULL DEFAULT '' CHECK (off IN ('', 'asked', 'bounced')),
    error TEXT NOT NULL DEFAULT '',      -- what the mail server said last
    sentences TEXT NOT NULL DEFAULT '',  -- that, as it can be translated
    bounces INTEGER NOT NULL DEFAULT 0,  -- refusals in a row
    -- Part of the address in each e-mail that switches them off, and of nothing else. It is kept as it
    -- is, because each e-mail has it anew.
    secret TEXT NOT NULL UNIQUE
) STRICT, WITHOUT ROWID;

-- The newest of its news that was sent by e-mail, or was there when its e-mails were switched on.
CREATE TABLE mail_told (
    saved INTEGER PRIMARY KEY REFERENCES saved_search ON DELETE CASCADE,
    news INTEGER NOT NULL
) STRICT;
CREATE TRIGGER mail_of_user AFTER DELETE ON user
BEGIN
    DELETE FROM mail WHERE owner = OLD.uid;
    DELETE FROM mail_owner WHERE owner = OLD.uid;
END;
CREATE TRIGGER mail_from_now_on AFTER UPDATE OF email ON saved_search WHEN NEW.email <> 0 AND OLD.email = 0
BEGIN
    INSERT OR REPLACE INTO mail_told (saved, news)
        SELECT NEW.id, coalesce(max(id), 0) FROM saved_news WHERE saved = NEW.id;
END;

-- One process at a time does what a lease names.
CREATE TABLE lease (
    name TEXT PRIMARY KEY,
    holder TEXT NOT NULL,
    until TEXT NOT NULL
) STRICT, WITHOUT ROWID;
