-- True from the answer until the switch has said that the recording has begun, and again when it failed: without audio so far.
-- Calls that an earlier release answered are taken for begun.
ALTER TABLE recordings ADD COLUMN awaits_start boolean NOT NULL DEFAULT false;
