-- What identity has told of an account: the zone of the times in what is told to webhooks about calls that no user of the API placed.
CREATE TABLE account_zones (
  account_id bigint PRIMARY KEY,
  time_zone text COLLATE "C" NOT NULL,
  -- Of the event it comes from: an older one that arrives late changes nothing.
  told_at timestamptz NOT NULL
);
