-- Records that an answer has brought and that stand in no work yet (works/adding.py). Those of an
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

-- Grows with each change of the pins, so that works that were made meanwhile are not written.
ALTER TABLE works_made ADD COLUMN pins INTEGER NOT NULL DEFAULT 0;

-- ------------------------------------------------ what projects take, for the quotas of their owners

-- Counted by triggers, so that whatever adds a row is counted, and no quota reads all records.
CREATE TABLE stored (
    project INTEGER PRIMARY KEY REFERENCES project ON DELETE CASCADE,
    records INTEGER NOT NULL DEFAULT 0,  -- rows, versions included
    bytes INTEGER NOT NULL DEFAULT 0,    -- of records, reports and lines of the log
    pages INTEGER NOT NULL DEFAULT 0     -- bytes of recorded pages beside the workspace
) STRICT;

INSERT INTO stored (project, records, bytes)
    SELECT id,
        (SELECT count(*) FROM record WHERE project = project.id),
        (SELECT ifnull(sum(length(body)), 0) FROM record WHERE project = project.id)
        + (SELECT ifnull(sum(length(CAST(document AS BLOB))), 0) FROM report WHERE project = project.id)
        + (SELECT ifnull(sum(length(CAST(before AS BLOB)) + length(CAST(after AS BLOB))), 0)
            FROM change WHERE project = project.id)
    FROM project;

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
-- A project that is being imported or deleted: its rows come and go in many transactions, and until
-- the last one nothing shows it. '': it is there for all. 'leaving': it was deleted, and the rest of
-- its rows goes. Else it is being imported, and this is the end of the name of the file beside the
-- workspace that is locked as long: whose file nobody has locked is left of a program that has died.
ALTER TABLE project ADD COLUMN hidden TEXT NOT NULL DEFAULT '';
-- A run that goes is one that found no work; without this all works are looked through for it.
CREATE INDEX work_first_run ON work (first_run);
CREATE INDEX report_last_run ON report (last_run) WHERE last_run IS NOT NULL;
-- --------------------------------------------------------------------- names within a project
-- What the log says of a strategy names it by its number within the project: the number of a row
-- means another strategy in another workspace. A number is never used again.

ALTER TABLE strategy ADD COLUMN number INTEGER NOT NULL DEFAULT 0;
UPDATE strategy SET number = (
    SELECT count(*) FROM strategy AS older
    WHERE older.project = strategy.project AND older.id <= strategy.id
);
CREATE UNIQUE INDEX strategy_number ON strategy (project, number);
CREATE TRIGGER strategy_numbered AFTER INSERT ON strategy WHEN NEW.number = 0
BEGIN
    UPDATE strategy SET number = (
        SELECT max(number) + 1 FROM strategy WHERE project = NEW.project
    ) WHERE id = NEW.id;
END;
UPDATE strategy SET details = json_remove(details, '$.derived_from.id')
    WHERE json_valid(details) AND json_type(details, '$.derived_from.id') IS NOT NULL;

DROP TRIGGER change_stays;
UPDATE change SET object = 'strategy:' || coalesce((
    SELECT number FROM strategy
    WHERE strategy.project = change.project
        AND strategy.id = CAST(substr(change.object, 10) AS INTEGER)
), 0) WHERE object LIKE 'strategy:%';
UPDATE change SET object = 'step:' || coalesce((
    SELECT number FROM strategy
    WHERE strategy.project = change.project
        AND strategy.id = CAST(substr(change.object, 6) AS INTEGER)
), 0) || substr(object, instr(object, '/')) WHERE object LIKE 'step:%/%';
CREATE TRIGGER change_stays BEFORE UPDATE ON change BEGIN SELECT RAISE(ABORT, 'the log is append-only'); END;

-- --------------------------------------------------------------------- what was open once
-- Works of a stage whose votes somebody could see who had not given them. They stay so, whatever
-- becomes of the votes and of the number that is needed, and a vote that is given afterwards is not
-- independent of the others.

CREATE TABLE opened (
    work INTEGER NOT NULL REFERENCES work ON DELETE CASCADE,
    stage TEXT NOT NULL CHECK (stage IN ('title', 'fulltext')),
    PRIMARY KEY (work, stage)
) STRICT, WITHOUT ROWID;
INSERT INTO opened (work, stage)
    SELECT decision.work, decision.stage FROM decision
    JOIN work ON work.id = decision.work
    JOIN screening ON screening.project = work.project AND screening.stage = decision.stage
    WHERE decision.by <> '' GROUP BY decision.work, decision.stage
    HAVING count(*) >= max(screening.needed) OR NOT max(screening.blind);
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
