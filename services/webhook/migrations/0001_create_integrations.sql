CREATE TABLE integrations (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  account_id bigint NOT NULL,
  user_id bigint NOT NULL,
  gateway text NOT NULL,
  webhook boolean NOT NULL,
  -- JSON texts, to the letter as the client sent them.
  webhook_constraint text,
  metadata text NOT NULL,
  -- What the two texts mean, checked: {url, version, types, headers}, and the pairs that a call's metadata must hold.
  settings jsonb,
  constraint_pairs jsonb NOT NULL,
  -- AES-256-GCM under a key of WEBHOOK_KEYS; without a key id, the plain bytes.
  secret bytea NOT NULL,
  secret_key_id text COLLATE "C",
  -- Signs along until its time is over.
  previous_secret bytea,
  previous_secret_key_id text COLLATE "C",
  previous_secret_until timestamptz,
  disabled_at timestamptz,
  disabled_reason text,
  -- The circuit, shared by all replicas: how many attempts in a row have failed, how often the receiver was left alone, until when.
  consecutive_failures integer NOT NULL DEFAULT 0,
  circuit_level integer NOT NULL DEFAULT 0,
  paused_until timestamptz,
  -- The first failure since the last success.
  failing_since timestamptz,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  CONSTRAINT integrations_gateway_key UNIQUE (account_id, user_id, gateway),
  CONSTRAINT integrations_settings CHECK (NOT webhook OR settings IS NOT NULL)
);

CREATE INDEX integrations_account_id ON integrations (account_id, id);
CREATE INDEX integrations_gateway ON integrations (account_id, gateway, id);
