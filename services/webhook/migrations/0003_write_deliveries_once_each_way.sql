-- A delivery is written when it is matched and once more when it has been attempted; each of the two should be one row.
ALTER TABLE deliveries ADD COLUMN attempts json[] NOT NULL DEFAULT '{}';

UPDATE deliveries d SET attempts = made.list
FROM (
  SELECT delivery_id, array_agg(json_build_object('at', at, 'status', status, 'latencyMs', latency_ms, 'answer', answer,
    'error', error) ORDER BY id) AS list
  FROM attempts GROUP BY delivery_id
) made
WHERE made.delivery_id = d.id;

CREATE OR REPLACE VIEW delivery_list AS
  SELECT id, integration_id, event_id, event_type, call_id, status, reason, payload, test, created_at,
    due_at AS next_attempt_at, attempts
  FROM deliveries
  UNION ALL
  SELECT id, integration_id, event_id, event_type, call_id, 'not-matched', reason, NULL, false, created_at, NULL, '{}'
  FROM unmatched_events;

DROP TABLE attempts;

-- Whoever inserts locks the integration, once for many rows. A foreign key would look for it again for each of them.
ALTER TABLE deliveries DROP CONSTRAINT deliveries_integration_id_fkey;

CREATE FUNCTION delete_deliveries() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  DELETE FROM deliveries WHERE integration_id = OLD.id;
  RETURN NULL;
END
$$;

CREATE TRIGGER integrations_delete_deliveries AFTER DELETE ON integrations
  FOR EACH ROW EXECUTE FUNCTION delete_deliveries();

-- The few events of a call are found by the index over calls as well.
DROP INDEX deliveries_first_attempts;

-- Nearly all are delivered: those are found by time.
DROP INDEX deliveries_status;
CREATE INDEX deliveries_status ON deliveries (integration_id, status, created_at, id) WHERE status <> 'delivered';

-- It is a log of a month, too: reading all of its indexes for every 5,000 rows would never end.
ALTER TABLE deliveries SET (
  autovacuum_vacuum_scale_factor = 0.05,
  autovacuum_vacuum_threshold = 50000
);

-- The replicas at work, by their last sign of life.
CREATE TABLE workers (
  id uuid PRIMARY KEY,
  seen_at timestamptz NOT NULL
);
