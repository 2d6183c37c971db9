-- What arrived for a charge may differ from what was asked for, and may go back in parts or by a chargeback.
ALTER TABLE charges
  -- Null until it is paid, and for charges that a release before this one was told of: those were booked at their amount.
  ADD COLUMN paid_amount numeric(18, 4) CHECK (paid_amount > 0),
  -- Given back by refunds. A chargeback takes the rest for as long as it is open.
  ADD COLUMN refunded_amount numeric(18, 4) NOT NULL DEFAULT 0 CHECK (refunded_amount >= 0),
  ADD COLUMN chargeback text CHECK (chargeback IN ('open', 'reversed')),
  ADD COLUMN chargeback_at timestamptz;
UPDATE charges
SET paid_amount = amount, refunded_amount = CASE WHEN status = 'REFUNDED' THEN amount ELSE 0 END
WHERE paid_at IS NOT NULL;

-- Not validated: every row satisfies the narrower constraint that this one replaces.
ALTER TABLE ledger_transactions
  DROP CONSTRAINT ledger_transactions_kind_check,
  ADD CONSTRAINT ledger_transactions_kind_check
    CHECK (kind IN ('topup', 'refund', 'chargeback', 'reversal', 'call', 'grant')) NOT VALID;

-- Money that the payer has got back is owed, also when it has been spent: refunds and chargebacks may take a balance below zero.
ALTER TABLE ledger_entries DROP CONSTRAINT ledger_entries_balance_check;
ALTER TABLE balances
  DROP CONSTRAINT balances_never_below_zero,
  DROP CONSTRAINT balances_reserved_is_there,
  ADD CONSTRAINT balances_reserved_not_negative CHECK (reserved >= 0) NOT VALID;

-- Credit may vanish under what live calls hold, but nothing that is not there is ever reserved.
CREATE FUNCTION refuse_reservation() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'account % has no credit for what is to be reserved', NEW.account_id USING ERRCODE = 'check_violation';
END
$$;
CREATE TRIGGER balances_reserved_is_there BEFORE UPDATE OF reserved ON balances
  FOR EACH ROW WHEN (NEW.reserved > OLD.reserved AND NEW.reserved > NEW.balance) EXECUTE FUNCTION refuse_reservation();
CREATE TRIGGER balances_reserved_is_there_on_insert BEFORE INSERT ON balances
  FOR EACH ROW WHEN (NEW.reserved > 0 AND NEW.reserved > NEW.balance) EXECUTE FUNCTION refuse_reservation();

-- As before, and: a call takes a balance below zero only with what it had reserved, which a refund took away under it.
CREATE OR REPLACE FUNCTION check_ledger_entries() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  wrong bigint;
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

  SELECT a.transaction_id INTO wrong
  FROM added a JOIN ledger_transactions t ON t.id = a.transaction_id
  WHERE a.book = 'credit' AND a.amount < 0 AND a.balance < 0 AND t.kind IN ('call', 'grant')
    AND NOT EXISTS (
      SELECT FROM reservations r WHERE r.call_id = t.call_id AND r.state = 'open' AND r.amount >= -a.amount
    )
  LIMIT 1;
  IF FOUND THEN
    RAISE EXCEPTION 'ledger transaction % takes the balance of its account below zero', wrong
      USING ERRCODE = 'integrity_constraint_violation';
  END IF;
  RETURN NULL;
END
$$;
