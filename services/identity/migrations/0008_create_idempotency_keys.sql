-- Requests that asked to have their effect once, and what they were answered; written together with the effect.
CREATE TABLE idempotency_keys (
  -- SHA-256 of rpc, user and key: the key itself is not kept.
  name bytea PRIMARY KEY,
  -- SHA-256 of the request message.
  fingerprint bytea NOT NULL,
  -- The response message, encoded.
  answer bytea NOT NULL,
  expires_at timestamptz NOT NULL
);

CREATE INDEX idempotency_keys_expires_at ON idempotency_keys (expires_at);
