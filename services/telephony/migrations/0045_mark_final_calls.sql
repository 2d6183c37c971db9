-- Calls that still change are kept apart from those that no longer do, in three steps, none of which keeps writers waiting for more than
-- moments. First: a mark. The calls that are there have it; the next step checks that, so that the last one need not.
ALTER TABLE calls
  ADD COLUMN is_final boolean NOT NULL DEFAULT true,
  ADD CONSTRAINT calls_are_final CHECK (is_final) NOT VALID;
