CREATE TABLE extensions (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  account_id bigint NOT NULL,
  -- Of the account; it never changes, and Asterisk needs it with every lookup.
  domain text COLLATE "C" NOT NULL,
  ramal text COLLATE "C" NOT NULL,
  -- What Asterisk and softphones call the extension.
  sip_id text COLLATE "C" NOT NULL GENERATED ALWAYS AS (ramal || '@' || domain) STORED,
  -- AES-256-GCM: nonce, ciphertext, tag. Which key of EXTENSION_KEYS opens it stands beside it, so that keys can rotate.
  senha_sealed bytea NOT NULL,
  senha_key_id text COLLATE "C" NOT NULL,
  -- md5(ramal:domain:senha), all that a SIP registrar needs.
  ha1 text COLLATE "C" NOT NULL,
  -- E.164 digits.
  bina text COLLATE "C",
  first_name text NOT NULL,
  last_name text NOT NULL,
  email_address text NOT NULL,
  gravar_audio boolean NOT NULL,
  registered boolean NOT NULL DEFAULT false,
  -- The latest registration; stays when the softphone has gone.
  registered_at timestamptz,
  -- Registrations are told in events that may overtake each other: older news than this is ignored. That starts a moment
  -- before the extension itself, because the clocks of two machines differ.
  registration_changed_at timestamptz NOT NULL,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  CONSTRAINT extensions_ramal_key UNIQUE (account_id, ramal),
  CONSTRAINT extensions_sip_id_key UNIQUE (sip_id),
  CONSTRAINT extensions_ramal_digits CHECK (ramal ~ '^[0-9]{3,10}$'),
  CONSTRAINT extensions_domain_lower_case CHECK (domain = lower(domain)),
  CONSTRAINT extensions_ha1_format CHECK (ha1 ~ '^[0-9a-f]{32}$')
);

-- One for each field that a filter may name (ramal has its constraint), with id behind it as the order within equals.
CREATE INDEX extensions_account_id ON extensions (account_id, id);
CREATE INDEX extensions_first_name ON extensions (account_id, first_name, id);
CREATE INDEX extensions_last_name ON extensions (account_id, last_name, id);
CREATE INDEX extensions_email_address ON extensions (account_id, email_address, id);
CREATE INDEX extensions_account_bina ON extensions (account_id, bina, id);
CREATE INDEX extensions_gravar_audio ON extensions (account_id, gravar_audio, id);
CREATE INDEX extensions_registered ON extensions (account_id, registered, id);
CREATE INDEX extensions_registered_at ON extensions (account_id, registered_at, id);

-- An inbound call knows the number that was dialled, not the account.
CREATE INDEX extensions_bina ON extensions (bina, registered DESC, id) WHERE bina IS NOT NULL;
-- For the rotation of keys.
CREATE INDEX extensions_senha_key_id ON extensions (senha_key_id, id);
