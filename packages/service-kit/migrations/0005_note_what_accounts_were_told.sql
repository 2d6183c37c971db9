-- Accounts were told of everything up to here: what is published again after the stream was lost is for services alone.
ALTER TABLE outbox_mark ADD COLUMN told_to bigint NOT NULL DEFAULT 0;
