-- A project that is being imported or deleted: its rows come and go in many transactions, and until
-- the last one nothing shows it. '': it is there for all. 'leaving': it was deleted, and the rest of
-- its rows goes. Else it is being imported, and this is the end of the name of the file beside the
-- workspace that is locked as long: whose file nobody has locked is left of a program that has died.
ALTER TABLE project ADD COLUMN hidden TEXT NOT NULL DEFAULT '';
-- A run that goes is one that found no work; without this all works are looked through for it.
CREATE INDEX work_first_run ON work (first_run);
