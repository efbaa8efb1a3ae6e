-- Steps and runs that follow citations: the two tables are made anew, because their closed words are
-- a part of them.
CREATE TABLE new_step (
    id INTEGER PRIMARY KEY,
    strategy INTEGER NOT NULL REFERENCES strategy ON DELETE CASCADE,
    number INTEGER NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('query', 'combine', 'import', 'citations')),
    text TEXT NOT NULL,                  -- as typed
    syntax TEXT NOT NULL DEFAULT 'auto',
    note TEXT NOT NULL DEFAULT '',
    details TEXT NOT NULL DEFAULT '{}',  -- of an import: where, when, by whom, file, its digest; of citations: runs/citations.py
    edited TEXT NOT NULL,
    removed INTEGER NOT NULL DEFAULT 0,
    version INTEGER NOT NULL DEFAULT 1,
    UNIQUE (strategy, number)
) STRICT;
INSERT INTO new_step SELECT * FROM step;
DROP TABLE step;
ALTER TABLE new_step RENAME TO step;

CREATE TABLE new_run (
    id INTEGER PRIMARY KEY,
    project INTEGER NOT NULL REFERENCES project ON DELETE CASCADE,
    strategy INTEGER NOT NULL REFERENCES strategy ON DELETE CASCADE,
    number INTEGER NOT NULL,             -- within the project, from 1
    mode TEXT NOT NULL CHECK (mode IN ('records', 'counts', 'import', 'citations')),
    status TEXT NOT NULL CHECK (status IN ('running', 'done', 'stopped', 'interrupted')),
    by TEXT NOT NULL DEFAULT '',
    started TEXT NOT NULL,
    ended TEXT,
    tool TEXT NOT NULL,                  -- "metasearch 0.1.0"
    options TEXT NOT NULL DEFAULT '{}',  -- sources, records of each, years, dedup, versions, digest of the pins
    recorded TEXT NOT NULL DEFAULT '',   -- the folder of recorded answers, '' where none were kept
    UNIQUE (project, number)
) STRICT;
INSERT INTO new_run SELECT * FROM run;
DROP TABLE run;
ALTER TABLE new_run RENAME TO run;
CREATE INDEX run_strategy ON run (strategy);
CREATE INDEX run_running ON run (project) WHERE status = 'running';

-- Of citations: [direction, key of a record of the seed] of each that leads to a record.
ALTER TABLE finding ADD COLUMN links TEXT NOT NULL DEFAULT '[]';

-- What databases said of an included work when it was last checked: works/work_checks.py.
CREATE TABLE work_check (
    work INTEGER PRIMARY KEY REFERENCES work ON DELETE CASCADE,
    verdict TEXT NOT NULL CHECK (verdict IN
        ('confirmed', 'differs', 'another-version', 'retracted', 'not-found', 'unchecked')),
    serious INTEGER NOT NULL,
    reason TEXT NOT NULL DEFAULT '',
    differences TEXT NOT NULL DEFAULT '[]',  -- [{field, written, found, source, serious, why}]
    asked TEXT NOT NULL DEFAULT '[]',        -- [{source, label, status, by, error}]
    databases TEXT NOT NULL DEFAULT '',      -- labels of those that answered, one a line
    sentences TEXT NOT NULL DEFAULT '',      -- reason and whys, as they can be translated: store/values.py
    at TEXT NOT NULL,
    tried TEXT NOT NULL                      -- the last attempt; later than `at` where it said less
) STRICT;
