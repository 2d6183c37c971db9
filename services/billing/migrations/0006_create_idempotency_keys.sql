-- Charges that a client asked to have once. The row comes with the charge; the answer follows when the payment provider has taken it.
CREATE TABLE idempotency_keys (
  -- SHA-256 of rpc, user and key: the key itself is not kept.
  name bytea PRIMARY KEY,
  -- SHA-256 of the request message.
  fingerprint bytea NOT NULL,
  charge_id bigint NOT NULL UNIQUE,
  -- The response message, encoded.
  answer bytea,
  expires_at timestamptz NOT NULL
);

CREATE INDEX idempotency_keys_expires_at ON idempotency_keys (expires_at);
