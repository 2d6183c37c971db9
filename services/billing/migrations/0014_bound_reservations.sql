-- reservations become partitions by month of their calls in three steps, none of which keeps writers waiting for more than moments.
-- First: no reservation of a call that begins in the month after next, or later. Those that are there are checked by the next step.
DO $$
DECLARE
  month_after_next timestamptz := date_trunc('month', now() AT TIME ZONE 'UTC' + interval '2 months') AT TIME ZONE 'UTC';
  bound uuid := rpad(lpad(to_hex((extract(epoch FROM month_after_next) * 1000)::bigint), 12, '0'), 32, '0')::uuid;
  newest uuid;
BEGIN
  SELECT call_id INTO newest FROM reservations ORDER BY call_id DESC LIMIT 1;
  IF newest >= bound THEN
    RAISE EXCEPTION 'reservations has calls whose ids are from after %, such as %', month_after_next, newest
      USING HINT = format('Their ids are not version 7 uuids, or a clock was wrong. The ledger has what they cost: once they are closed, '
        'DELETE FROM reservations WHERE call_id >= %L AND state <> ''open''.', bound);
  END IF;
  EXECUTE format('ALTER TABLE reservations ADD CONSTRAINT reservations_bound CHECK (call_id < %L::uuid) NOT VALID', bound);
END $$;
