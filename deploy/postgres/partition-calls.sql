-- Makes telephony.calls a partitioned table, one partition a month, by ids (UUID version 7: their order is time). See docs/decisions/0011.
-- Run once, as sabia_telephony, when one table has become too much (about 100 million calls). The lock is held for moments, provided that
-- before it the index was built and the bound was checked while calls went on:
--
--   CREATE INDEX CONCURRENTLY calls_by_dial_id ON calls (dial_id) WHERE dial_id IS NOT NULL;
--   ALTER TABLE calls ADD CONSTRAINT calls_bound CHECK (id < '<first id of next month>') NOT VALID;
--   ALTER TABLE calls VALIDATE CONSTRAINT calls_bound;
--
-- Afterwards run the last statement every week: it makes the partitions of the months to come.

CREATE OR REPLACE FUNCTION first_call_id(month date) RETURNS uuid LANGUAGE sql IMMUTABLE AS $$
  SELECT (lpad(to_hex((extract(epoch FROM month::timestamp AT TIME ZONE 'UTC') * 1000)::bigint), 12, '0') || '00000000000000000000')::uuid
$$;

CREATE OR REPLACE FUNCTION make_call_partitions(months integer) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  month date := date_trunc('month', now() AT TIME ZONE 'UTC' + interval '1 month');
BEGIN
  FOR i IN 1..months LOOP
    EXECUTE format(
      'CREATE TABLE IF NOT EXISTS calls_%s PARTITION OF calls FOR VALUES FROM (%L) TO (%L) WITH (fillfactor = 85)',
      to_char(month, 'YYYY_MM'), first_call_id(month), first_call_id((month + interval '1 month')::date)
    );
    month := month + interval '1 month';
  END LOOP;
END $$;

DO $$
DECLARE
  next_month date := date_trunc('month', now() AT TIME ZONE 'UTC' + interval '1 month');
  definition text;
BEGIN
  SET LOCAL lock_timeout = '5s';
  LOCK TABLE calls IN ACCESS EXCLUSIVE MODE;
  ALTER TABLE live_calls DROP CONSTRAINT live_calls_call_id_fkey;
  ALTER TABLE recordings DROP CONSTRAINT recordings_call_id_fkey;
  -- A unique index of a partitioned table must hold its bounds. Dial ids are random: they need no guard.
  DROP INDEX calls_dial_id_key;

  ALTER TABLE calls RENAME TO calls_until_partitions;
  CREATE TABLE calls (LIKE calls_until_partitions INCLUDING DEFAULTS INCLUDING CONSTRAINTS) PARTITION BY RANGE (id);
  ALTER TABLE calls DROP CONSTRAINT IF EXISTS calls_bound;
  EXECUTE format('ALTER TABLE calls ATTACH PARTITION calls_until_partitions FOR VALUES FROM (MINVALUE) TO (%L)', first_call_id(next_month));
  ALTER TABLE calls ADD PRIMARY KEY (id);
  CREATE INDEX ON calls (dial_id) WHERE dial_id IS NOT NULL;
  -- Whatever index the one table has, every partition has; those that are there are taken over, not built.
  FOR definition IN
    SELECT pg_get_indexdef(indexrelid) FROM pg_index
    WHERE indrelid = 'calls_until_partitions'::regclass AND NOT indisprimary
  LOOP
    CONTINUE WHEN definition LIKE '%(dial_id)%';
    EXECUTE regexp_replace(definition, '^CREATE INDEX \S+ ON \S+', 'CREATE INDEX ON calls');
  END LOOP;

  ALTER TABLE live_calls ADD CONSTRAINT live_calls_call_id_fkey FOREIGN KEY (call_id) REFERENCES calls (id) NOT VALID;
  ALTER TABLE recordings ADD CONSTRAINT recordings_call_id_fkey FOREIGN KEY (call_id) REFERENCES calls (id) NOT VALID;
  CREATE TABLE calls_default PARTITION OF calls DEFAULT;
END $$;

SELECT make_call_partitions(3);
