-- One row per event and integration; its id is the webhook-id of every attempt.
CREATE TABLE deliveries (
  id uuid PRIMARY KEY,
  position bigint GENERATED ALWAYS AS IDENTITY,
  integration_id bigint NOT NULL REFERENCES integrations (id) ON DELETE CASCADE,
  event_id uuid NOT NULL,
  event_type text COLLATE "C" NOT NULL,
  call_id text COLLATE "C",
  -- pending, retrying, delivered, dead
  status text COLLATE "C" NOT NULL DEFAULT 'pending',
  reason text,
  -- The exact body, so that every attempt sends the same bytes.
  payload text NOT NULL,
  test boolean NOT NULL DEFAULT false,
  -- Attempts in all, and those since the last replay.
  attempt_count integer NOT NULL DEFAULT 0,
  failures integer NOT NULL DEFAULT 0,
  -- When somebody may take it. Whoever takes it moves this to the end of the lease, so that a worker that dies lets go by itself.
  due_at timestamptz,
  lease_token uuid,
  created_at timestamptz NOT NULL,
  finished_at timestamptz,
  CONSTRAINT deliveries_event_key UNIQUE (integration_id, event_id),
  CONSTRAINT deliveries_open CHECK ((finished_at IS NULL) = (due_at IS NOT NULL)),
  CONSTRAINT deliveries_status CHECK (status IN ('pending', 'retrying', 'delivered', 'dead'))
)
-- A queue turns over completely: vacuum by count, not by share.
WITH (
  autovacuum_vacuum_scale_factor = 0,
  autovacuum_vacuum_threshold = 5000,
  autovacuum_vacuum_insert_threshold = -1,
  autovacuum_vacuum_cost_delay = 0
);

-- The queue.
CREATE INDEX deliveries_due ON deliveries (integration_id, due_at, position) WHERE finished_at IS NULL;
-- Whether an earlier event of the same call still waits for its first attempt.
CREATE INDEX deliveries_first_attempts ON deliveries (integration_id, call_id, position)
  WHERE finished_at IS NULL AND attempt_count = 0;
-- The list, by time, by status and by call.
CREATE INDEX deliveries_created_at ON deliveries (integration_id, created_at, id);
CREATE INDEX deliveries_status ON deliveries (integration_id, status, created_at, id);
CREATE INDEX deliveries_call_id ON deliveries (integration_id, call_id);
-- For the housekeeping.
CREATE INDEX deliveries_finished_at ON deliveries USING brin (finished_at) WITH (autosummarize = on);

CREATE TABLE attempts (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  delivery_id uuid NOT NULL REFERENCES deliveries (id) ON DELETE CASCADE,
  at timestamptz NOT NULL,
  status integer,
  latency_ms integer NOT NULL,
  -- The first KiB of it.
  answer text,
  error text
);

CREATE INDEX attempts_delivery_id ON attempts (delivery_id, id);

-- What was not sent, and why; kept for a day.
CREATE TABLE unmatched_events (
  id uuid PRIMARY KEY,
  integration_id bigint NOT NULL REFERENCES integrations (id) ON DELETE CASCADE,
  event_id uuid NOT NULL,
  event_type text COLLATE "C" NOT NULL,
  call_id text COLLATE "C",
  reason text NOT NULL,
  created_at timestamptz NOT NULL
);

CREATE INDEX unmatched_events_created_at ON unmatched_events (integration_id, created_at, id);
CREATE INDEX unmatched_events_call_id ON unmatched_events (integration_id, call_id);
CREATE INDEX unmatched_events_age ON unmatched_events USING brin (created_at) WITH (autosummarize = on);

CREATE VIEW delivery_list AS
  SELECT id, integration_id, event_id, event_type, call_id, status, reason, payload, test, created_at,
    due_at AS next_attempt_at
  FROM deliveries
  UNION ALL
  SELECT id, integration_id, event_id, event_type, call_id, 'not-matched', reason, NULL, false, created_at, NULL
  FROM unmatched_events;

-- What the price of a call needs to be told with; a call is known from its end on.
CREATE TABLE calls (
  call_id text COLLATE "C" PRIMARY KEY,
  account_id bigint NOT NULL,
  -- 1 ended, 2 recorded: the later one knows more.
  stage smallint NOT NULL,
  snapshot bytea NOT NULL,
  updated_at timestamptz NOT NULL
);

CREATE INDEX calls_updated_at ON calls USING brin (updated_at) WITH (autosummarize = on);
