-- Each index costs every call two or three entries. Those that others have taken the place of go, by what they index: in
-- a table that was partitioned by hand they have other names.
--   started_at                    the id has the moment of the start (decision 13)
--   status                        the state of calls that last is in live_calls
--   answered_at                   calls_answered
--   call_type, hangup_cause       calls_type_and_cause
--   minute_price, call_price      calls_prices
--   metadata, names, caller id    calls_words
DO $$
DECLARE
  spare regclass;
BEGIN
  FOR spare IN
    SELECT indexrelid::regclass FROM pg_index
    WHERE indrelid = 'calls'::regclass
      AND indexrelid <> ALL ('{calls_answered,calls_type_and_cause,calls_prices,calls_words}'::regclass[]::oid[])
      AND pg_get_indexdef(indexrelid) ~
        'account_id, (started_at|status|answered_at|call_type|hangup_cause|minute_price|call_price|first_name|last_name|bina), id\)|USING gin'
  LOOP
    EXECUTE format('DROP INDEX %s', spare);
  END LOOP;
END $$;
