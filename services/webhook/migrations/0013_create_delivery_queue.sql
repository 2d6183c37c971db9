-- The deliveries that are open: a row is made with its delivery, and deleted when that is finished.
CREATE TABLE delivery_queue (
  delivery_id uuid PRIMARY KEY,
  integration_id bigint NOT NULL,
  -- The order of events.
  position bigint NOT NULL,
  call_id text COLLATE "C",
  -- pending, retrying
  status text COLLATE "C" NOT NULL DEFAULT 'pending',
  test boolean NOT NULL DEFAULT false,
  -- Attempts in all, and those that failed since the last replay.
  attempt_count integer NOT NULL DEFAULT 0,
  failures integer NOT NULL DEFAULT 0,
  -- When somebody may take it. Whoever takes it moves this to the end of the lease, so that a worker that dies lets go by itself.
  due_at timestamptz NOT NULL,
  lease_token uuid,
  -- Of the delivery.
  created_at timestamptz NOT NULL,
  CONSTRAINT delivery_queue_status CHECK (status IN ('pending', 'retrying'))
)
-- A queue turns over completely: vacuum by count, not by share.
WITH (
  autovacuum_vacuum_scale_factor = 0,
  autovacuum_vacuum_threshold = 5000,
  autovacuum_vacuum_insert_threshold = -1,
  autovacuum_vacuum_cost_delay = 0,
  autovacuum_analyze_scale_factor = 0,
  autovacuum_analyze_threshold = 5000
);

CREATE INDEX delivery_queue_due ON delivery_queue (integration_id, due_at, position);
-- Whether an earlier event of the same call still waits for its first attempt.
CREATE INDEX delivery_queue_call_id ON delivery_queue (integration_id, call_id);

-- The deliveries that are dead, so that they are found without an index over a column of the log that changes.
CREATE TABLE dead_deliveries (
  delivery_id uuid PRIMARY KEY,
  integration_id bigint NOT NULL,
  -- Of the delivery.
  created_at timestamptz NOT NULL
);

CREATE INDEX dead_deliveries_created_at ON dead_deliveries (integration_id, created_at, delivery_id);

-- Most of them, while others write; the next step adds what has changed since.
INSERT INTO dead_deliveries (delivery_id, integration_id, created_at)
SELECT id, integration_id, created_at FROM deliveries WHERE status = 'dead';
