-- The inbox becomes eight slots in three steps, none of which keeps consumers waiting for more than moments. First: what is recorded
-- from now on is in both tables.
--
-- The slot of an event follows from its id alone, so the primary keys of the slots together keep an event from being handled twice.
-- An id begins with its time in milliseconds, and the five upper bits of the third byte count spans of 2^27 of them (37 hours): each
-- slot has its turn every 12 days, and is emptied as a whole before its next one (src/events/consumer/inbox-slots.ts).
CREATE TABLE inbox_slots (
  consumer text NOT NULL,
  event_id uuid NOT NULL,
  -- Not called handled_at: the release before deletes by that column and by ctid, which is not unique among partitions.
  recorded_at timestamptz NOT NULL DEFAULT now()
) PARTITION BY LIST ((get_byte(uuid_send(event_id), 2) >> 3 & 7));

DO $$
BEGIN
  FOR slot IN 0..7 LOOP
    EXECUTE format('CREATE TABLE inbox_%s PARTITION OF inbox_slots (PRIMARY KEY (consumer, event_id)) FOR VALUES IN (%s)', slot, slot);
    -- Finds the few young rows of an old slot. Rows are not deleted one by one, so they stay in the order of time.
    EXECUTE format(
      'CREATE INDEX inbox_%s_recorded_at ON inbox_%s USING brin (recorded_at) WITH (pages_per_range = 32, autosummarize = on)', slot, slot
    );
  END LOOP;
END $$;

CREATE FUNCTION copy_to_inbox_slots() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO inbox_slots (consumer, event_id, recorded_at)
    SELECT consumer, event_id, handled_at FROM changed ON CONFLICT DO NOTHING;
  ELSE
    DELETE FROM inbox_slots s USING changed c WHERE s.consumer = c.consumer AND s.event_id = c.event_id;
  END IF;
  RETURN NULL;
END
$$;

CREATE TRIGGER inbox_copy_recorded AFTER INSERT ON inbox
  REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION copy_to_inbox_slots();
CREATE TRIGGER inbox_copy_unrecorded AFTER DELETE ON inbox
  REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION copy_to_inbox_slots();
