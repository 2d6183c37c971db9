-- While suspended_at is set, the account can neither log in, call nor register, and is told the reason.
ALTER TABLE accounts
  ADD COLUMN suspended_at timestamptz,
  ADD COLUMN suspension_reason text,
  ADD CONSTRAINT accounts_suspension_has_reason CHECK ((suspended_at IS NULL) = (suspension_reason IS NULL));
