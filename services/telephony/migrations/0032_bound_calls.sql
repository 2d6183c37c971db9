-- calls become partitions by month in three steps, none of which keeps writers waiting for more than moments. First: no call that
-- begins in the month after next, or later. Calls that are there are checked by the next step.
DO $$
DECLARE
  month_after_next timestamptz := date_trunc('month', now() AT TIME ZONE 'UTC' + interval '2 months') AT TIME ZONE 'UTC';
  upper_bound uuid := rpad(lpad(to_hex((extract(epoch FROM month_after_next) * 1000)::bigint), 12, '0'), 32, '0')::uuid;
  lower_bound uuid;
  rest regclass;
  oldest uuid;
  newest uuid;
BEGIN
  IF (SELECT relkind FROM pg_class WHERE oid = 'calls'::regclass) = 'r' THEN
    ALTER TABLE calls DROP CONSTRAINT IF EXISTS calls_bound;
    EXECUTE format('ALTER TABLE calls ADD CONSTRAINT calls_bound CHECK (id < %L::uuid) NOT VALID', upper_bound);
    RETURN;
  END IF;

  -- calls were partitioned by hand. An early form of the script for that made a partition for what fits in no other: it becomes one
  -- like the others, between those next to its calls, or goes, if nothing comes into it.
  SELECT partdefid INTO rest FROM pg_partitioned_table WHERE partrelid = 'calls'::regclass AND partdefid <> 0;
  IF rest IS NULL THEN
    RETURN;
  END IF;
  EXECUTE format('SELECT (SELECT id FROM %1$s ORDER BY id LIMIT 1), (SELECT id FROM %1$s ORDER BY id DESC LIMIT 1)', rest)
    INTO oldest, newest;
  WITH bounds AS (
    SELECT regexp_match(pg_get_expr(relpartbound, oid), $re$FROM \('?([^')]*)'?\) TO \('(.*)'\)$re$) AS bound
    FROM pg_inherits JOIN pg_class ON oid = inhrelid WHERE inhparent = 'calls'::regclass AND oid <> rest
  ), known AS (
    SELECT nullif(bound[1], 'MINVALUE')::uuid AS since, bound[2]::uuid AS until FROM bounds
  )
  SELECT (SELECT until FROM known WHERE oldest IS NULL OR until <= oldest ORDER BY until DESC LIMIT 1),
    coalesce((SELECT since FROM known WHERE since > oldest ORDER BY since LIMIT 1), upper_bound)
  INTO lower_bound, upper_bound;
  IF newest >= upper_bound THEN
    RAISE EXCEPTION '% holds calls from before and after other partitions: move those from id % on to a partition of their own first',
      rest, upper_bound;
  END IF;
  EXECUTE format('ALTER TABLE %s DROP CONSTRAINT IF EXISTS calls_bound', rest);
  EXECUTE format('ALTER TABLE %s ADD CONSTRAINT calls_bound CHECK (%s) NOT VALID', rest,
    CASE WHEN lower_bound < upper_bound THEN format('id >= %L::uuid AND id < %L::uuid', lower_bound, upper_bound) ELSE 'false' END);
END $$;
