CREATE TABLE access_tokens (
  -- SHA-256 of the token; the token itself is kept nowhere.
  token_hash bytea PRIMARY KEY,
  -- The first characters, by which its owner recognises it in a list.
  prefix text NOT NULL,
  user_id bigint NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  -- Seconds; -1 never expires.
  ttl bigint NOT NULL,
  created_at timestamptz NOT NULL,
  expires_at timestamptz,
  last_used_at timestamptz,
  CONSTRAINT access_tokens_hash_length CHECK (octet_length(token_hash) = 32)
);

CREATE INDEX access_tokens_user_id ON access_tokens (user_id, created_at);
CREATE INDEX access_tokens_expires_at ON access_tokens (expires_at) WHERE expires_at IS NOT NULL;
