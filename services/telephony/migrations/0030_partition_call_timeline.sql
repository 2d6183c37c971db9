-- The table that is there becomes the first partition; its entries were checked, and its primary key is taken over. Telephony makes
-- the partitions of the months to come (src/partition-keeper.ts).
LOCK TABLE call_timeline IN ACCESS EXCLUSIVE MODE;
-- An identity would be lost with the first partition.
CREATE SEQUENCE call_timeline_entries;
SELECT setval('call_timeline_entries', nextval(pg_get_serial_sequence('call_timeline', 'entry')));
ALTER TABLE call_timeline ALTER COLUMN entry DROP IDENTITY;
ALTER TABLE call_timeline RENAME TO call_timeline_before;
ALTER INDEX call_timeline_pkey RENAME TO call_timeline_before_pkey;

CREATE TABLE call_timeline (LIKE call_timeline_before INCLUDING CONSTRAINTS) PARTITION BY RANGE (call_id);
ALTER TABLE call_timeline DROP CONSTRAINT call_timeline_bound;
ALTER TABLE call_timeline ALTER COLUMN entry SET DEFAULT nextval('call_timeline_entries');
ALTER TABLE call_timeline ADD PRIMARY KEY (call_id, entry);
DO $$
BEGIN
  EXECUTE format(
    'ALTER TABLE call_timeline ATTACH PARTITION call_timeline_before FOR VALUES FROM (MINVALUE) TO (%L)',
    (SELECT substring(pg_get_constraintdef(oid) FROM '[0-9a-f-]{36}') FROM pg_constraint
     WHERE conname = 'call_timeline_bound' AND conrelid = 'call_timeline_before'::regclass)
  );
END $$;
