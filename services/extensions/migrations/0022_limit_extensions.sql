-- How many extensions an account may have, as identity has told it. Null: any number.
CREATE TABLE account_limits (
  account_id bigint PRIMARY KEY,
  extensions integer,
  -- Of the event it comes from: an older one that arrives late changes nothing.
  told_at timestamptz NOT NULL
);
