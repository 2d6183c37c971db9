-- How many live calls an account may have, as identity has told it. Null: MAXIMUM_LIVE_CALLS.
CREATE TABLE account_limits (
  account_id bigint PRIMARY KEY,
  live_calls integer,
  -- Of the event it comes from: an older one that arrives late changes nothing.
  told_at timestamptz NOT NULL
);
