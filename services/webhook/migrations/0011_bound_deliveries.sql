-- deliveries become a small queue and a log in months, in four steps that keep writers waiting for moments only. First: no delivery
-- of the month after next, or later. Those that are there are checked by the next step.
DO $$
DECLARE
  month_after_next timestamptz := date_trunc('month', now() AT TIME ZONE 'UTC' + interval '2 months') AT TIME ZONE 'UTC';
  bound uuid := rpad(lpad(to_hex((extract(epoch FROM month_after_next) * 1000)::bigint), 12, '0'), 32, '0')::uuid;
  newest uuid;
BEGIN
  SELECT id INTO newest FROM deliveries ORDER BY id DESC LIMIT 1;
  IF newest >= bound THEN
    RAISE EXCEPTION 'deliveries has ids from after %, such as %', month_after_next, newest
      USING HINT = format('A clock was wrong. Once they are finished: DELETE FROM deliveries WHERE id >= %L AND finished_at IS NOT NULL.', bound);
  END IF;
  EXECUTE format('ALTER TABLE deliveries ADD CONSTRAINT deliveries_bound CHECK (id < %L::uuid) NOT VALID', bound);
END $$;
