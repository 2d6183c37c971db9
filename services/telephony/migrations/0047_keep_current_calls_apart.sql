-- A call is current until it has its price: a row of a small table under three indexes, which its end does not touch. Then it is final,
-- and becomes a row of its month, under the twelve indexes of lists, once. Both together are calls, as before.
DO $$
DECLARE
  live_call uuid;
BEGIN
  LOCK TABLE calls IN ACCESS EXCLUSIVE MODE;
  ALTER TABLE calls RENAME TO calls_final;
  CREATE TABLE calls (LIKE calls_final INCLUDING DEFAULTS INCLUDING CONSTRAINTS) PARTITION BY LIST (is_final);
  ALTER TABLE calls DROP CONSTRAINT calls_are_final;
  ALTER TABLE calls ALTER COLUMN is_final SET DEFAULT false;
  ALTER TABLE calls ATTACH PARTITION calls_final FOR VALUES IN (true);
  ALTER TABLE calls_final DROP CONSTRAINT calls_are_final;

  -- Room for the end on the page of the row; vacuumed by the number of rows, of which there are few at a time and many an hour.
  CREATE TABLE calls_current (LIKE calls INCLUDING DEFAULTS INCLUDING CONSTRAINTS, PRIMARY KEY (id))
  WITH (fillfactor = 45, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000);
  ALTER TABLE calls ATTACH PARTITION calls_current FOR VALUES IN (false);
  CREATE INDEX calls_current_newest ON calls_current (account_id, id);
  CREATE INDEX calls_current_dial_id ON calls_current (dial_id) WHERE dial_id IS NOT NULL;
  -- Of calls that a replica of the former release has priced: the next one that looks makes them final.
  CREATE INDEX calls_current_priced ON calls_current (id) WHERE call_price IS NOT NULL;

  -- Statements about live calls look nowhere else. One after the other, so that each is looked for in its month.
  FOR live_call IN SELECT call_id FROM live_calls LOOP
    UPDATE calls SET is_final = false WHERE id = live_call;
  END LOOP;
END $$;
