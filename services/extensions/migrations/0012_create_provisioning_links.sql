-- Links with which a softphone sets itself up; a new one of an extension takes the place of the one before.
CREATE TABLE provisioning_links (
  extension_id bigint PRIMARY KEY REFERENCES extensions ON DELETE CASCADE,
  -- SHA-256: the token itself is not kept.
  token_hash bytea NOT NULL UNIQUE,
  expires_at timestamptz NOT NULL,
  -- Null until the first softphone has fetched it.
  opened_at timestamptz
);
