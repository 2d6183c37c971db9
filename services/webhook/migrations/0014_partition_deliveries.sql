-- The table that is there becomes the first partition of the log: its rows were checked, and its indexes are taken over, not built. The
-- service makes the partitions of the months to come, and drops those whose time is over (src/partition-keeper.ts).
-- The view before its table, as whoever reads it locks them.
DROP VIEW delivery_list;
LOCK TABLE deliveries IN ACCESS EXCLUSIVE MODE;

INSERT INTO delivery_queue (delivery_id, integration_id, position, call_id, status, test, attempt_count, failures, due_at, lease_token,
  created_at)
SELECT id, integration_id, position, call_id, status, test, attempt_count, failures, due_at, lease_token, created_at
FROM deliveries WHERE finished_at IS NULL;

-- Both lead by indexes to what is dead, however much was delivered.
SET LOCAL enable_seqscan = off;
INSERT INTO dead_deliveries (delivery_id, integration_id, created_at)
SELECT id, integration_id, created_at FROM deliveries WHERE status = 'dead' ON CONFLICT DO NOTHING;
DELETE FROM dead_deliveries n USING deliveries d WHERE d.id = n.delivery_id AND d.status <> 'dead';

ALTER TABLE deliveries RENAME TO delivery_log_before;
ALTER TABLE delivery_log_before RENAME CONSTRAINT deliveries_pkey TO delivery_log_before_pkey;
ALTER INDEX deliveries_created_at RENAME TO delivery_log_before_created_at;
ALTER INDEX deliveries_call_id RENAME TO delivery_log_before_call_id;
ALTER TABLE delivery_log_before RENAME CONSTRAINT deliveries_status TO delivery_log_status;

-- What replicas of the release before go on to see as deliveries while they are replaced: they find nothing to send, and what they insert
-- goes into the queue, for replicas of this release. A later release drops the table and the two functions below, with their triggers.
CREATE TABLE deliveries (LIKE delivery_log_before INCLUDING DEFAULTS, UNIQUE (integration_id, event_id));
ALTER TABLE deliveries ALTER position DROP NOT NULL;

CREATE SEQUENCE delivery_positions;
SELECT setval('delivery_positions', greatest(1, (SELECT last_value FROM deliveries_position_seq)));

-- Nothing of what an attempt changes is in an index, also not in its condition: the new version of a row stays on its page.
DROP INDEX deliveries_status;
ALTER TABLE delivery_log_before
  DROP CONSTRAINT deliveries_event_key,
  DROP CONSTRAINT deliveries_open,
  DROP COLUMN due_at,
  DROP COLUMN lease_token,
  DROP COLUMN attempt_count,
  DROP COLUMN failures,
  ALTER position DROP IDENTITY,
  SET (fillfactor = 45),
  RESET (
    autovacuum_vacuum_scale_factor, autovacuum_vacuum_threshold, autovacuum_vacuum_insert_threshold, autovacuum_vacuum_cost_delay
  );
ALTER TABLE delivery_log_before ALTER position SET DEFAULT nextval('delivery_positions');

CREATE TABLE delivery_log (LIKE delivery_log_before INCLUDING DEFAULTS INCLUDING CONSTRAINTS, PRIMARY KEY (id)) PARTITION BY RANGE (id);
ALTER TABLE delivery_log DROP CONSTRAINT deliveries_bound;
-- The list, by time and by call.
CREATE INDEX delivery_log_created_at ON delivery_log (integration_id, created_at, id);
CREATE INDEX delivery_log_call_id ON delivery_log (integration_id, call_id);
DO $$
BEGIN
  EXECUTE format(
    'ALTER TABLE delivery_log ATTACH PARTITION delivery_log_before FOR VALUES FROM (MINVALUE) TO (%L)',
    (SELECT substring(pg_get_constraintdef(oid) FROM '[0-9a-f-]{36}') FROM pg_constraint
     WHERE conname = 'deliveries_bound' AND conrelid = 'delivery_log_before'::regclass)
  );
END $$;
ALTER TABLE delivery_log_before DROP CONSTRAINT deliveries_bound;

CREATE FUNCTION queue_delivery_of_former_release() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  INSERT INTO delivery_log (id, integration_id, event_id, event_type, call_id, payload, test, created_at, traceparent)
  VALUES (NEW.id, NEW.integration_id, NEW.event_id, NEW.event_type, NEW.call_id, NEW.payload, NEW.test, NEW.created_at, NEW.traceparent)
  RETURNING position INTO NEW.position;
  INSERT INTO delivery_queue (delivery_id, integration_id, position, call_id, test, due_at, created_at)
  VALUES (NEW.id, NEW.integration_id, NEW.position, NEW.call_id, NEW.test, NEW.created_at, NEW.created_at);
  -- Inserts nothing here: the replica takes it for a delivery that others send.
  RETURN NULL;
END
$$;

CREATE TRIGGER deliveries_of_former_release BEFORE INSERT ON deliveries
  FOR EACH ROW EXECUTE FUNCTION queue_delivery_of_former_release();

-- Such a replica also takes a deleted integration for one without deliveries.
CREATE FUNCTION keep_note_of_deliveries_left() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  IF EXISTS (SELECT FROM delivery_log WHERE integration_id = OLD.id) OR EXISTS (SELECT FROM delivery_queue WHERE integration_id = OLD.id) THEN
    RETURN NULL;
  END IF;
  RETURN OLD;
END
$$;

CREATE TRIGGER deleted_integrations_keep BEFORE DELETE ON deleted_integrations
  FOR EACH ROW EXECUTE FUNCTION keep_note_of_deliveries_left();

CREATE VIEW delivery_list AS
  SELECT id, integration_id, event_id, event_type, call_id, status, reason, payload, test, created_at,
    (SELECT due_at FROM delivery_queue WHERE delivery_id = id) AS next_attempt_at, attempts
  FROM delivery_log
  UNION ALL
  SELECT id, integration_id, event_id, event_type, call_id, 'not-matched', reason, NULL, false, created_at, NULL, '{}'
  FROM unmatched_events;
