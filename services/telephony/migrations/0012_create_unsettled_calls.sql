-- Ended calls whose effects elsewhere (a price from billing, the hangup taken in by webhook) have not been seen yet. A row is
-- written in the transaction that ends the call and goes once both are there; while they are not, the call's end is told again.
CREATE TABLE unsettled_calls (
  call_id uuid PRIMARY KEY,
  -- When to look for the effects next.
  look_at timestamptz NOT NULL,
  tries integer NOT NULL DEFAULT 0
)
-- A queue turns over completely: vacuum by count, not by share.
WITH (
  fillfactor = 50,
  autovacuum_vacuum_scale_factor = 0,
  autovacuum_vacuum_threshold = 2000
);

CREATE INDEX unsettled_calls_look_at ON unsettled_calls (look_at);
