-- The table that is there becomes the first partition: its calls were checked, and its indexes are taken over, not built. Telephony
-- makes the partitions of the months to come (src/partition-keeper.ts).
DO $$
DECLARE
  index record;
BEGIN
  IF (SELECT relkind FROM pg_class WHERE oid = 'calls'::regclass) = 'p' THEN
    RETURN;
  END IF;
  LOCK TABLE calls IN ACCESS EXCLUSIVE MODE;
  -- calls_dial_id has taken their place.
  DROP INDEX IF EXISTS calls_dial_id_key, calls_by_dial_id;
  ALTER TABLE calls RENAME TO calls_before;
  ALTER INDEX calls_pkey RENAME TO calls_before_pkey;

  CREATE TABLE calls (LIKE calls_before INCLUDING DEFAULTS INCLUDING CONSTRAINTS) PARTITION BY RANGE (id);
  ALTER TABLE calls DROP CONSTRAINT calls_bound;
  ALTER TABLE calls ADD PRIMARY KEY (id);
  FOR index IN
    SELECT relname AS name, pg_get_indexdef(indexrelid) AS definition FROM pg_index JOIN pg_class ON oid = indexrelid
    WHERE indrelid = 'calls_before'::regclass AND indisvalid AND NOT indisunique
  LOOP
    EXECUTE format('ALTER INDEX %I RENAME TO %I', index.name, left('calls_before_' || regexp_replace(index.name, '^calls_', ''), 63));
    EXECUTE regexp_replace(index.definition, ' ON \S+ USING ', ' ON calls USING ');
  END LOOP;
  EXECUTE format(
    'ALTER TABLE calls ATTACH PARTITION calls_before FOR VALUES FROM (MINVALUE) TO (%L)',
    (SELECT substring(pg_get_constraintdef(oid) FROM '[0-9a-f-]{36}') FROM pg_constraint
     WHERE conname = 'calls_bound' AND conrelid = 'calls_before'::regclass)
  );
  ALTER TABLE calls_before DROP CONSTRAINT calls_bound;
END $$;
