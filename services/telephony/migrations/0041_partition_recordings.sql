-- The table that is there becomes the first partition: its rows were checked, and its indexes are taken over, not built. Telephony
-- makes the partitions of the months to come (src/partition-keeper.ts).
DO $$
DECLARE
  index record;
BEGIN
  LOCK TABLE recordings IN ACCESS EXCLUSIVE MODE;
  ALTER TABLE recordings RENAME TO recordings_before;
  ALTER INDEX recordings_pkey RENAME TO recordings_before_pkey;

  CREATE TABLE recordings (LIKE recordings_before INCLUDING DEFAULTS INCLUDING CONSTRAINTS) PARTITION BY RANGE (call_id);
  ALTER TABLE recordings DROP CONSTRAINT recordings_bound;
  ALTER TABLE recordings ADD PRIMARY KEY (call_id);
  FOR index IN
    SELECT relname AS name, pg_get_indexdef(indexrelid) AS definition FROM pg_index JOIN pg_class ON oid = indexrelid
    WHERE indrelid = 'recordings_before'::regclass AND indisvalid AND NOT indisunique
  LOOP
    EXECUTE format('ALTER INDEX %I RENAME TO %I', index.name, left('recordings_before_' || regexp_replace(index.name, '^recordings_', ''), 63));
    EXECUTE regexp_replace(index.definition, ' ON \S+ USING ', ' ON recordings USING ');
  END LOOP;
  EXECUTE format(
    'ALTER TABLE recordings ATTACH PARTITION recordings_before FOR VALUES FROM (MINVALUE) TO (%L)',
    (SELECT substring(pg_get_constraintdef(oid) FROM '[0-9a-f-]{36}') FROM pg_constraint
     WHERE conname = 'recordings_bound' AND conrelid = 'recordings_before'::regclass)
  );
  ALTER TABLE recordings_before DROP CONSTRAINT recordings_bound;
END $$;
