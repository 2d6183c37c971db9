-- ledger_entries become ranges of a hundred million movements in three steps, none of which keeps writers waiting for more than moments.
-- First: no entry beyond the end of the range after the present one, so that a replica of the release before this one, which makes no
-- ranges, has room. Those that are there are checked by the next step.
DO $$
DECLARE
  size CONSTANT bigint := 100000000;
  last bigint := coalesce(pg_sequence_last_value(pg_get_serial_sequence('ledger_transactions', 'id')::regclass), 0);
BEGIN
  EXECUTE format(
    'ALTER TABLE ledger_entries ADD CONSTRAINT ledger_entries_bound CHECK (transaction_id < %s) NOT VALID',
    (last / size + 2) * size
  );
END $$;
