-- Reads the whole table while others write to it.
ALTER TABLE call_timeline VALIDATE CONSTRAINT call_timeline_bound;
