-- What an operator allows the account at most. Null: what the platform allows every account.
ALTER TABLE accounts
  ADD COLUMN live_calls_limit integer,
  ADD COLUMN extensions_limit integer,
  ADD COLUMN users_limit integer;
