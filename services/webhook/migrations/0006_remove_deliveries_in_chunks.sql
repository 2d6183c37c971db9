-- A month of deliveries is too much for the transaction that deletes their integration: it is told of here, and they go in chunks.
CREATE TABLE deleted_integrations (
  id bigint PRIMARY KEY,
  deleted_at timestamptz NOT NULL DEFAULT now()
);

DROP TRIGGER integrations_delete_deliveries ON integrations;
DROP FUNCTION delete_deliveries();

CREATE FUNCTION note_deleted_integration() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  INSERT INTO deleted_integrations (id) VALUES (OLD.id);
  RETURN NULL;
END
$$;

CREATE TRIGGER integrations_note_deleted AFTER DELETE ON integrations
  FOR EACH ROW EXECUTE FUNCTION note_deleted_integration();

-- Whoever inserts locks the integration, as with deliveries.
ALTER TABLE unmatched_events DROP CONSTRAINT unmatched_events_integration_id_fkey;
