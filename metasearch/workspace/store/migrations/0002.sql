-- Users, teams, saved searches. A workspace without users has no rows here, and "" where a user would
-- be named. `by` columns, everywhere, hold the `uid` of a user. Secrets of sessions, tokens and links
-- are kept as SHA-256 alone.

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
    version INTEGER NOT NULL DEFAULT 1
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

-- --------------------------------------------------------------------- teams

CREATE TABLE member (
    project INTEGER NOT NULL REFERENCES project ON DELETE CASCADE,
    user INTEGER NOT NULL REFERENCES user ON DELETE CASCADE,
    role TEXT NOT NULL CHECK (role IN ('owner', 'editor', 'screener', 'reader')),
    added TEXT NOT NULL,
    PRIMARY KEY (project, user)
) STRICT, WITHOUT ROWID;
CREATE INDEX member_user ON member (user);

-- What two people may change at once has a version: who sends an older one is shown both.
ALTER TABLE project ADD COLUMN version INTEGER NOT NULL DEFAULT 1;
ALTER TABLE strategy ADD COLUMN version INTEGER NOT NULL DEFAULT 1;
ALTER TABLE step ADD COLUMN version INTEGER NOT NULL DEFAULT 1;
ALTER TABLE other_source ADD COLUMN version INTEGER NOT NULL DEFAULT 1;
-- The number of the change that wrote it, so that a note that was removed and written again is another.
ALTER TABLE note ADD COLUMN version INTEGER NOT NULL DEFAULT 1;

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
