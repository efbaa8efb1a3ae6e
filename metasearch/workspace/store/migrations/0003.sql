-- Records that an answer has brought and that stand in no work yet (works/entering.py). Those of an
-- import that has not ended are taken back where its process was killed.
CREATE TABLE entering (
    record INTEGER PRIMARY KEY REFERENCES record ON DELETE CASCADE,
    project INTEGER NOT NULL REFERENCES project ON DELETE CASCADE,
    answer INTEGER NOT NULL REFERENCES answer ON DELETE CASCADE,
    is_new INTEGER NOT NULL,             -- whether the answer has brought the row, or only named it again
    replaces INTEGER REFERENCES record,  -- the version of before
    placed INTEGER NOT NULL DEFAULT 0,   -- whether it stands at its places
    near TEXT NOT NULL DEFAULT '[]'      -- records of works that may be the same work
) STRICT;
CREATE INDEX entering_project ON entering (project, placed, record);
CREATE INDEX entering_answer ON entering (answer);
CREATE INDEX entering_replaces ON entering (replaces) WHERE replaces IS NOT NULL;

-- Grows with each change of the pins, so that works that were made meanwhile are not written.
ALTER TABLE works_made ADD COLUMN pins INTEGER NOT NULL DEFAULT 0;
