-- Why events were not sent, counted by the hour. A few of them are also listed one by one, in unmatched_events.
CREATE TABLE unsent_counts (
  integration_id bigint NOT NULL,
  -- Hours since 1970.
  hour integer NOT NULL,
  event_type text COLLATE "C" NOT NULL,
  -- The code of the reason.
  code text COLLATE "C" NOT NULL,
  count bigint NOT NULL,
  -- Of the newest of them.
  last_at timestamptz NOT NULL,
  last_call_id text COLLATE "C",
  reason text NOT NULL,
  PRIMARY KEY (integration_id, hour, event_type, code)
) WITH (fillfactor = 70);

-- For the housekeeping.
CREATE INDEX unsent_counts_hour ON unsent_counts (hour);
