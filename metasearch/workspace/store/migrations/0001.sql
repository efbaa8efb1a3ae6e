-- The tables of a workspace. Times are UTC texts ("2026-11-23T05:40:00Z"); JSON is text.
-- `by` names who did it; it is empty until a workspace has users.
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
    archived INTEGER NOT NULL DEFAULT 0
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
    UNIQUE (project, name)
) STRICT;

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
    UNIQUE (strategy, number)
) STRICT;

CREATE TABLE step_parent (
    step INTEGER NOT NULL REFERENCES step ON DELETE CASCADE,
    parent INTEGER NOT NULL REFERENCES step,
    PRIMARY KEY (step, parent)
) STRICT, WITHOUT ROWID;
CREATE INDEX step_parent_parent ON step_parent (parent);

-- --------------------------------------------------------------------- runs

CREATE TABLE run (
    id INTEGER PRIMARY KEY,
    project INTEGER NOT NULL REFERENCES project ON DELETE CASCADE,
    strategy INTEGER NOT NULL REFERENCES strategy ON DELETE CASCADE,
    number INTEGER NOT NULL,             -- within the project, from 1
    mode TEXT NOT NULL CHECK (mode IN ('records', 'counts', 'import')),
    status TEXT NOT NULL CHECK (status IN ('running', 'done', 'stopped')),
    by TEXT NOT NULL DEFAULT '',
    started TEXT NOT NULL,
    ended TEXT,
    tool TEXT NOT NULL,                  -- "metasearch 0.1.0"
    options TEXT NOT NULL DEFAULT '{}',  -- sources, records of each, years, dedup, versions, digest of the pins
    recorded TEXT NOT NULL DEFAULT '',   -- the folder of recorded answers, '' where none were kept
    UNIQUE (project, number)
) STRICT;
CREATE INDEX run_strategy ON run (strategy);

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
    sentences TEXT NOT NULL DEFAULT '',  -- error, advice, notes with their templates: runs/sentences.py
    spec TEXT NOT NULL DEFAULT '',       -- digest of the spec of the source
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

CREATE TABLE work_body (
    work INTEGER PRIMARY KEY REFERENCES work ON DELETE CASCADE,
    hit BLOB NOT NULL,                   -- formats/hits.py
    words TEXT NOT NULL DEFAULT ''       -- folded title, authors, abstract; Chinese characters one by one
) STRICT;

-- Written beside `work_body` by works/storing.py: no trigger may write to a virtual table where the
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

-- What shows that two records are not one work, without reading them: dedup/sketches.py.
CREATE TABLE record_sketch (
    record INTEGER PRIMARY KEY REFERENCES record ON DELETE CASCADE,
    sketch INTEGER NOT NULL
) STRICT;

-- How often a title returns in a journal: dedup/columns.py.
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
    rules TEXT NOT NULL
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
    details TEXT NOT NULL DEFAULT '{}'   -- how, date, found, sought, not retrieved, assessed, excluded by reason, included
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
