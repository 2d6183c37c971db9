-- Mails that wait for an SMTP server to accept them. A row holds no link: it is minted when the mail is sent.
CREATE TABLE mails (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  -- Becomes the Message-ID, the same on every try.
  uuid uuid NOT NULL DEFAULT gen_random_uuid(),
  template text NOT NULL,
  -- Whether a user has this address is looked up when sending, so that asking for a mail takes the same time for any address.
  address text NOT NULL,
  attempts integer NOT NULL DEFAULT 0,
  last_error text,
  -- Also the lease of a worker: a claimed row is due again when its worker has not come back by then.
  next_attempt_at timestamptz NOT NULL,
  created_at timestamptz NOT NULL,
  CONSTRAINT mails_template_known CHECK (template IN ('confirm-email', 'reset-password'))
);

CREATE INDEX mails_next_attempt_at ON mails (next_attempt_at);
CREATE INDEX mails_address ON mails (address, template);

CREATE TABLE one_time_tokens (
  -- SHA-256 of the token that the link carries.
  token_hash bytea PRIMARY KEY,
  purpose text NOT NULL,
  user_id bigint NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  -- The address that the link proves; worthless once the user has another.
  email text NOT NULL,
  created_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL,
  used_at timestamptz,
  CONSTRAINT one_time_tokens_purpose_known CHECK (purpose IN ('confirm-email', 'reset-password'))
);

CREATE INDEX one_time_tokens_user_id ON one_time_tokens (user_id, purpose, created_at);
CREATE INDEX one_time_tokens_expires_at ON one_time_tokens (expires_at);
