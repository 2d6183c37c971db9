-- Further events that the account is told of in the same message: the field of this name of an Envelope, encoded.
ALTER TABLE outbox ADD COLUMN also bytea NOT NULL DEFAULT '';
