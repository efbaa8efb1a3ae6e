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
