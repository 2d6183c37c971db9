-- recordings become partitions by month of their calls in three steps, as calls did (0032 to 0034). First: no recording of a call that
-- begins in the month after next, or later. Those that are there are checked by the next step.
DO $$
DECLARE
  bound timestamptz := date_trunc('month', now() AT TIME ZONE 'UTC' + interval '2 months') AT TIME ZONE 'UTC';
BEGIN
  EXECUTE format(
    'ALTER TABLE recordings ADD CONSTRAINT recordings_bound CHECK (call_id < %L::uuid) NOT VALID',
    rpad(lpad(to_hex((extract(epoch FROM bound) * 1000)::bigint), 12, '0'), 32, '0')::uuid
  );
END $$;
