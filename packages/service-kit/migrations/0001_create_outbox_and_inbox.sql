-- Events written in the transaction of the change they tell of, kept until JetStream has acknowledged them.
CREATE TABLE outbox (
  position bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  id uuid NOT NULL,
  type text NOT NULL,
  version integer NOT NULL,
  account_id bigint NOT NULL,
  occurred_at timestamptz NOT NULL,
  traceparent text NOT NULL,
  tracestate text NOT NULL,
  payload bytea NOT NULL
)
-- A queue turns over completely: vacuum by count, not by share, or the relay's scan wades through dead rows.
WITH (
  autovacuum_vacuum_scale_factor = 0,
  autovacuum_vacuum_threshold = 2000,
  autovacuum_vacuum_insert_threshold = -1,
  autovacuum_vacuum_cost_delay = 0,
  autovacuum_analyze_scale_factor = 0,
  autovacuum_analyze_threshold = 50000
);

-- Events whose effect is committed; written in the transaction of that effect.
CREATE TABLE inbox (
  consumer text NOT NULL,
  event_id uuid NOT NULL,
  handled_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (consumer, event_id)
);

-- For the cleaner alone: rows arrive in time order, so a block range index finds the old ones at next to no cost per insert.
CREATE INDEX inbox_handled_at ON inbox USING brin (handled_at) WITH (pages_per_range = 32, autosummarize = on);

-- Events that have failed or are being worked on outside a transaction; gone once handled or given up.
CREATE TABLE inbox_attempts (
  consumer text NOT NULL,
  event_id uuid NOT NULL,
  tries integer NOT NULL DEFAULT 0,
  claimed_until timestamptz,
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (consumer, event_id)
);
