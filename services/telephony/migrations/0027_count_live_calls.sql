-- How many live calls an account has, in several rows, so that replicas that begin and end calls of one account at once hardly wait
-- for each other. Kept by triggers: whatever begins or ends a call, also a replica of the former release, the count is right.
CREATE TABLE live_call_counters (
  account_id bigint NOT NULL,
  shard smallint NOT NULL,
  -- Its share; a call may end in another row than it began in.
  live integer NOT NULL,
  PRIMARY KEY (account_id, shard)
) WITH (fillfactor = 50);

CREATE FUNCTION count_live_calls() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  -- In the order of accounts, so that two transactions cannot wait for each other.
  INSERT INTO live_call_counters AS known (account_id, shard, live)
  SELECT account_id, pg_backend_pid() % 16, count(*) * CASE TG_OP WHEN 'INSERT' THEN 1 ELSE -1 END
  FROM changed GROUP BY account_id ORDER BY account_id
  ON CONFLICT (account_id, shard) DO UPDATE SET live = known.live + excluded.live;
  RETURN NULL;
END $$;

-- Nobody begins or ends a call between the first count and the triggers.
LOCK TABLE live_calls IN SHARE ROW EXCLUSIVE MODE;
INSERT INTO live_call_counters (account_id, shard, live) SELECT account_id, 0, count(*) FROM live_calls GROUP BY account_id;
CREATE TRIGGER live_calls_begin AFTER INSERT ON live_calls
  REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_live_calls();
CREATE TRIGGER live_calls_end AFTER DELETE ON live_calls
  REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_live_calls();
