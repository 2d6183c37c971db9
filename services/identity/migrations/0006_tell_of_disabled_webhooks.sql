-- What a notice is about, for its text; never a link or a secret.
ALTER TABLE mails ADD COLUMN details jsonb;
ALTER TABLE mails DROP CONSTRAINT mails_template_known;
ALTER TABLE mails ADD CONSTRAINT mails_template_known
  CHECK (template IN ('confirm-email', 'reset-password', 'email-changed', 'webhook-disabled'));
ALTER TABLE mails ADD CONSTRAINT mails_details_known
  CHECK (template <> 'webhook-disabled' OR (user_id IS NOT NULL AND details IS NOT NULL));
