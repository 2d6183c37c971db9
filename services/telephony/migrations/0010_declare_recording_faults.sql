-- How much of its call a recording lacks, in seconds; null: it is whole, or not there yet.
ALTER TABLE recordings ADD COLUMN missing_seconds integer;

-- When the switch is to be told next to drop audio that is in the store; null: it has none of it.
ALTER TABLE recordings ADD COLUMN drop_at timestamptz;

CREATE INDEX recordings_to_drop ON recordings (switch, drop_at) WHERE drop_at IS NOT NULL;
