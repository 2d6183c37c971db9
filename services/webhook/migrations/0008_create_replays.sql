-- Replays of a span, and what each has made pending again, so that its progress can be followed. A table of its own: an index over
-- all deliveries would take a lock on them for as long as it is built.
CREATE TABLE replays (
  id uuid PRIMARY KEY,
  integration_id bigint NOT NULL,
  created_at timestamptz NOT NULL
);

CREATE TABLE replayed_deliveries (
  replay_id uuid NOT NULL,
  delivery_id uuid NOT NULL,
  created_at timestamptz NOT NULL,
  PRIMARY KEY (replay_id, delivery_id)
);

CREATE INDEX replayed_deliveries_created_at ON replayed_deliveries USING brin (created_at) WITH (autosummarize = on);
