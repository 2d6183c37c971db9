-- The mail that carried the link, so that its further tries are told apart from further requests. It has been deleted once it was sent.
ALTER TABLE one_time_tokens ADD COLUMN mail_id bigint;

-- Of a mail to an address that its user no longer has.
ALTER TABLE mails ADD COLUMN user_id bigint REFERENCES users (id) ON DELETE CASCADE;
ALTER TABLE mails DROP CONSTRAINT mails_template_known;
ALTER TABLE mails ADD CONSTRAINT mails_template_known
  CHECK (template IN ('confirm-email', 'reset-password', 'email-changed'));
ALTER TABLE mails ADD CONSTRAINT mails_user_known CHECK (template <> 'email-changed' OR user_id IS NOT NULL);
CREATE INDEX mails_user_id ON mails (user_id) WHERE user_id IS NOT NULL;

-- When each attempt began whose password is being checked right now: one whose process died is forgotten after a while.
ALTER TABLE login_throttle DROP COLUMN pending;
ALTER TABLE login_throttle ADD COLUMN places timestamptz[] NOT NULL DEFAULT '{}';
