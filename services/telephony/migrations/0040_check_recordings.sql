-- Reads the whole table while others write to it.
ALTER TABLE recordings VALIDATE CONSTRAINT recordings_bound;
