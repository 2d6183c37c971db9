-- The table that is there becomes the first partition: its rows were checked, and its indexes are taken over, not built. Billing makes
-- the partitions of the months to come (src/partition-keeper.ts).
DO $$
BEGIN
  LOCK TABLE reservations IN ACCESS EXCLUSIVE MODE;
  ALTER TABLE reservations RENAME TO reservations_before;
  CREATE TABLE reservations (LIKE reservations_before INCLUDING DEFAULTS INCLUDING CONSTRAINTS) PARTITION BY RANGE (call_id);
  ALTER TABLE reservations DROP CONSTRAINT reservations_bound;
  -- The index of the first partition keeps its name: the release before this one knows by it that a call has its reservation.
  ALTER TABLE reservations ADD CONSTRAINT reservations_once PRIMARY KEY (call_id);
  ALTER INDEX reservations_open_by_expiry RENAME TO reservations_before_open_by_expiry;
  ALTER INDEX reservations_open_of_account RENAME TO reservations_before_open_of_account;
  CREATE INDEX reservations_open_by_expiry ON reservations (expires_at) WHERE state = 'open';
  CREATE INDEX reservations_open_of_account ON reservations (account_id) WHERE state = 'open';
  EXECUTE format(
    'ALTER TABLE reservations ATTACH PARTITION reservations_before FOR VALUES FROM (MINVALUE) TO (%L)',
    (SELECT substring(pg_get_constraintdef(oid) FROM '[0-9a-f-]{36}') FROM pg_constraint
     WHERE conname = 'reservations_bound' AND conrelid = 'reservations_before'::regclass)
  );
  ALTER TABLE reservations_before DROP CONSTRAINT reservations_bound;
END $$;

-- As before, but reservations are looked at only where a call takes a balance below zero, and then in the month of the call.
CREATE OR REPLACE FUNCTION check_ledger_entries() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  wrong bigint;
  overdraft record;
BEGIN
  SELECT transaction_id INTO wrong FROM added GROUP BY transaction_id HAVING sum(amount) <> 0 OR count(*) < 2 LIMIT 1;
  IF FOUND THEN
    RAISE EXCEPTION 'ledger transaction % is not balanced', wrong USING ERRCODE = 'integrity_constraint_violation';
  END IF;

  SELECT a.transaction_id INTO wrong FROM added a
  LEFT JOIN ledger_transactions t ON t.id = a.transaction_id AND t.account_id = a.account_id
  WHERE t.id IS NULL LIMIT 1;
  IF FOUND THEN
    RAISE EXCEPTION 'ledger transaction % does not exist in this account', wrong USING ERRCODE = 'integrity_constraint_violation';
  END IF;

  SELECT a.transaction_id INTO wrong
  FROM (
    SELECT transaction_id, account_id, amount, balance,
           lag(balance) OVER (PARTITION BY account_id ORDER BY transaction_id) AS previous,
           lead(balance) OVER (PARTITION BY account_id ORDER BY transaction_id) AS next
    FROM added WHERE book = 'credit'
  ) a
  LEFT JOIN LATERAL (
    SELECT e.balance FROM ledger_entries e
    WHERE a.previous IS NULL AND e.book = 'credit' AND e.account_id = a.account_id AND e.transaction_id < a.transaction_id
    ORDER BY e.transaction_id DESC LIMIT 1
  ) before ON true
  LEFT JOIN balances b ON a.next IS NULL AND b.account_id = a.account_id
  WHERE a.balance <> coalesce(a.previous, before.balance, 0) + a.amount
     OR (a.next IS NULL AND b.balance IS DISTINCT FROM a.balance)
  LIMIT 1;
  IF FOUND THEN
    RAISE EXCEPTION 'ledger transaction % does not continue the balance of its account', wrong
      USING ERRCODE = 'integrity_constraint_violation';
  END IF;

  FOR overdraft IN
    SELECT a.transaction_id, t.call_id, -a.amount AS amount
    FROM added a JOIN ledger_transactions t ON t.id = a.transaction_id
    WHERE a.book = 'credit' AND a.amount < 0 AND a.balance < 0 AND t.kind IN ('call', 'grant')
  LOOP
    IF NOT EXISTS (
      SELECT FROM reservations r WHERE r.call_id = overdraft.call_id AND r.state = 'open' AND r.amount >= overdraft.amount
    ) THEN
      RAISE EXCEPTION 'ledger transaction % takes the balance of its account below zero', overdraft.transaction_id
        USING ERRCODE = 'integrity_constraint_violation';
    END IF;
  END LOOP;
  RETURN NULL;
END
$$;
