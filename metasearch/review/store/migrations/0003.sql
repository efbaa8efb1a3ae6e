-- "maybe", of who is not sure by title and abstract: the tables with the closed words of verdicts are
-- made anew.
CREATE TABLE new_decision (
    work INTEGER NOT NULL REFERENCES work ON DELETE CASCADE,
    stage TEXT NOT NULL CHECK (stage IN ('title', 'fulltext')),
    by TEXT NOT NULL DEFAULT '',
    verdict TEXT NOT NULL
        CHECK (verdict IN ('relevant', 'maybe', 'close', 'excluded', 'unavailable')),
    reason TEXT NOT NULL DEFAULT '',
    at TEXT NOT NULL,
    PRIMARY KEY (work, stage, by)
) STRICT, WITHOUT ROWID;
INSERT INTO new_decision SELECT * FROM decision;
DROP TABLE decision;
ALTER TABLE new_decision RENAME TO decision;

-- What somebody has decided on a work whose votes differ. It holds for just these votes.
CREATE TABLE new_resolution (
    work INTEGER NOT NULL REFERENCES work ON DELETE CASCADE,
    stage TEXT NOT NULL CHECK (stage IN ('title', 'fulltext')),
    votes TEXT NOT NULL,                 -- [by, verdict, reason] of each, by `by`
    verdict TEXT NOT NULL
        CHECK (verdict IN ('relevant', 'maybe', 'close', 'excluded', 'unavailable')),
    reason TEXT NOT NULL DEFAULT '',
    by TEXT NOT NULL DEFAULT '',         -- who resolved it
    at TEXT NOT NULL,
    PRIMARY KEY (work, stage)
) STRICT, WITHOUT ROWID;
INSERT INTO new_resolution SELECT * FROM resolution;
DROP TABLE resolution;
ALTER TABLE new_resolution RENAME TO resolution;
