-- call_timeline becomes partitions by month in three steps, none of which keeps writers waiting for more than moments. First: no entry
-- of a call that begins in the month after next, or later. Entries that are there are checked by the next step.
DO $$
DECLARE
  bound timestamptz := date_trunc('month', now() AT TIME ZONE 'UTC' + interval '2 months') AT TIME ZONE 'UTC';
BEGIN
  EXECUTE format(
    'ALTER TABLE call_timeline ADD CONSTRAINT call_timeline_bound CHECK (call_id < %L::uuid) NOT VALID',
    rpad(lpad(to_hex((extract(epoch FROM bound) * 1000)::bigint), 12, '0'), 32, '0')::uuid
  );
END $$;
