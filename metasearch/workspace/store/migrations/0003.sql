-- --------------------------------------------------------------------- runs that were interrupted

-- "interrupted": its process ended before it did; it can be resumed or ended. "stopped": by a person.
CREATE TABLE run_anew (
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
INSERT INTO run_anew
    SELECT id, project, strategy, number, mode, status, by, started, ended, tool,
        json_remove(options, '$.alive'), recorded FROM run;
DROP TABLE run;
ALTER TABLE run_anew RENAME TO run;
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

-- 1: its run ended while its records were stored; a run that is resumed asks for them again.
ALTER TABLE answer ADD COLUMN half INTEGER NOT NULL DEFAULT 0;

-- --------------------------------------------------------------------- addresses that were proved

-- The address at which the user has opened a link, or that a provider has verified: e-mails go there
-- alone, and only while it is that of `email`. Addresses of before are proved by nobody.
ALTER TABLE user ADD COLUMN proved TEXT NOT NULL DEFAULT '';

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
