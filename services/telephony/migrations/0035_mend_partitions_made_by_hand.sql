-- Where calls were partitioned by hand, they are from now on as 0034 makes them; elsewhere nothing changes.
DO $$
DECLARE
  rest regclass;
  bounds text[];
  index record;
BEGIN
  -- A partition for what fits in no other keeps PostgreSQL from reading the others in the order of their ids.
  SELECT partdefid INTO rest FROM pg_partitioned_table WHERE partrelid = 'calls'::regclass AND partdefid <> 0;
  IF rest IS NOT NULL THEN
    SELECT array_agg(bound[1]) INTO bounds
    FROM pg_constraint, regexp_matches(pg_get_constraintdef(oid), '[0-9a-f]{8}-[0-9a-f-]{27}', 'g') AS bound
    WHERE conname = 'calls_bound' AND conrelid = rest;
    EXECUTE format('ALTER TABLE calls DETACH PARTITION %s', rest);
    IF bounds IS NULL THEN
      EXECUTE format('DROP TABLE %s', rest);
    ELSE
      EXECUTE format('ALTER TABLE calls ATTACH PARTITION %s FOR VALUES FROM (%L) TO (%L)', rest, bounds[1], bounds[2]);
      EXECUTE format('ALTER TABLE %s DROP CONSTRAINT calls_bound', rest);
    END IF;
  END IF;
  DROP FUNCTION IF EXISTS make_call_partitions(integer), first_call_id(date);

  -- Later migrations know the indexes by their names, which the first partition has.
  FOR index IN
    SELECT pg_class.relname AS name, owner.relname AS partition
    FROM pg_inherits JOIN pg_class AS owner ON owner.oid = inhrelid JOIN pg_index ON indrelid = owner.oid JOIN pg_class ON pg_class.oid = indexrelid
    WHERE inhparent = 'calls'::regclass AND NOT starts_with(pg_class.relname, owner.relname)
  LOOP
    EXECUTE format('ALTER INDEX %I RENAME TO %I', index.name, left(index.partition || '_' || regexp_replace(index.name, '^calls_', ''), 63));
  END LOOP;
  FOR index IN
    SELECT relname AS former, wanted.name
    FROM (VALUES
      ('calls_pkey', '(id)'),
      ('calls_newest', '(account_id, id)'),
      ('calls_ended_at', '(account_id, ended_at, id)'),
      ('calls_from_number', '(account_id, from_number, id)'),
      ('calls_to_number', '(account_id, to_number, id)'),
      ('calls_email', '(account_id, email, id)'),
      ('calls_duration', '(account_id, duration, id) WHERE %'),
      ('calls_answered', '(account_id, answered_at, id) WHERE %'),
      ('calls_type_and_cause', '(account_id, call_type, hangup_cause, id)'),
      ('calls_prices', '(account_id, minute_price, call_price, id) WHERE %'),
      ('calls_words', '(((metadata)::jsonb) jsonb_path_ops, (ARRAY[%')
    ) AS wanted (name, definition)
    JOIN pg_index ON indrelid = 'calls'::regclass AND pg_get_indexdef(indexrelid) LIKE '% USING % ' || wanted.definition
    JOIN pg_class ON pg_class.oid = indexrelid AND relname <> wanted.name
  LOOP
    EXECUTE format('ALTER INDEX %I RENAME TO %I', index.former, index.name);
  END LOOP;
  -- calls_dial_id has taken its place.
  FOR index IN
    SELECT relname AS name FROM pg_index JOIN pg_class ON oid = indexrelid
    WHERE indrelid = 'calls'::regclass AND relname <> 'calls_dial_id' AND pg_get_indexdef(indexrelid) LIKE '% (dial_id) %'
  LOOP
    EXECUTE format('DROP INDEX %I', index.name);
  END LOOP;
END $$;
