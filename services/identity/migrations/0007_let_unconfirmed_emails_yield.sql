-- An address counts once it is confirmed (docs/decisions/0015). Until then a changed one waits beside the one in force.
ALTER TABLE users ADD COLUMN pending_email text;
ALTER TABLE users ADD CONSTRAINT users_pending_email_lower_case CHECK (pending_email = lower(pending_email));
CREATE INDEX users_pending_email ON users (pending_email) WHERE pending_email IS NOT NULL;

-- An unconfirmed address takes no place outside its account. The name stays: code of the release before knows it.
ALTER TABLE users DROP CONSTRAINT users_email_key;
CREATE UNIQUE INDEX users_email_key ON users (email) WHERE email_verified;
CREATE UNIQUE INDEX users_account_email_key ON users (account_id, email);
CREATE INDEX users_email ON users (email, id);

-- Sign-ups that wait for their confirmation, for the sweep of those that have waited too long.
CREATE INDEX accounts_unconfirmed ON accounts (created_at) WHERE activated_at IS NULL;

-- Addresses that users had until they were changed: nobody else may take one while the change can be undone.
CREATE TABLE former_emails (
  user_id bigint NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  email text NOT NULL,
  until timestamptz NOT NULL,
  PRIMARY KEY (user_id, email)
);
CREATE INDEX former_emails_email ON former_emails (email);
CREATE INDEX former_emails_until ON former_emails (until);

ALTER TABLE one_time_tokens DROP CONSTRAINT one_time_tokens_purpose_known;
ALTER TABLE one_time_tokens ADD CONSTRAINT one_time_tokens_purpose_known
  CHECK (purpose IN ('confirm-email', 'reset-password', 'undo-email-change'));
-- Links are counted by the address they were sent to.
CREATE INDEX one_time_tokens_email ON one_time_tokens (email, purpose, created_at);

ALTER TABLE mails DROP CONSTRAINT mails_template_known;
ALTER TABLE mails ADD CONSTRAINT mails_template_known
  CHECK (template IN ('confirm-email', 'reset-password', 'email-change-requested', 'email-changed',
    'email-changed-by-admin', 'webhook-disabled'));
ALTER TABLE mails DROP CONSTRAINT mails_user_known;
ALTER TABLE mails ADD CONSTRAINT mails_user_known
  CHECK (template NOT IN ('email-change-requested', 'email-changed', 'email-changed-by-admin') OR user_id IS NOT NULL);
