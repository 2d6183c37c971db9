-- Double entry. A movement of money is one row of ledger_transactions and at least two of ledger_entries that sum to zero: positive
-- is a credit, negative a debit. The book "credit" is what the platform owes its accounts; the others say where it came from and
-- where it went. Both tables only ever grow; a mistake is put right by a new movement.
CREATE TABLE ledger_transactions (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  account_id bigint NOT NULL,
  kind text NOT NULL CHECK (kind IN ('topup', 'refund', 'call', 'grant')),
  -- What it is for: the call, the charge, the key of the grant. It is booked once.
  reference text NOT NULL CHECK (reference <> ''),
  description text NOT NULL,
  call_id uuid,
  charge_id bigint,
  at timestamptz NOT NULL,
  CONSTRAINT ledger_transactions_once UNIQUE (account_id, kind, reference)
);

CREATE TABLE ledger_entries (
  transaction_id bigint NOT NULL,
  account_id bigint NOT NULL,
  book text NOT NULL CHECK (book IN ('credit', 'calls', 'payments', 'grants', 'losses')),
  amount numeric(18, 4) NOT NULL CHECK (amount <> 0),
  -- The account's credit after this entry.
  balance numeric(18, 4) CHECK (balance >= 0),
  PRIMARY KEY (transaction_id, book),
  CHECK ((book = 'credit') = (balance IS NOT NULL))
);

CREATE INDEX ledger_entries_of_account ON ledger_entries (account_id, transaction_id DESC) WHERE book = 'credit';

-- One row per account, locked by whoever moves its money: the head of the ledger, and what live calls hold of it.
CREATE TABLE balances (
  account_id bigint PRIMARY KEY,
  balance numeric(18, 4) NOT NULL DEFAULT 0,
  reserved numeric(18, 4) NOT NULL DEFAULT 0,
  -- How many entries the statement has, so that a page of it need not count them.
  movements bigint NOT NULL DEFAULT 0,
  -- Whether these warnings have been given since the last time they did not hold.
  low boolean NOT NULL DEFAULT false,
  exhausted boolean NOT NULL DEFAULT false,
  CONSTRAINT balances_never_below_zero CHECK (balance >= 0),
  CONSTRAINT balances_reserved_is_there CHECK (reserved >= 0 AND reserved <= balance)
)
WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_cost_delay = 0);

-- A movement is written by one statement, entries and all, after the balance row. At the end of that statement all of it must hold:
-- entries sum to zero, belong to a movement of the same account, continue the chain of balances and end at the balance row.
-- (A foreign key to the movements would need a right to update them, which nobody has.)
CREATE FUNCTION check_ledger_entries() RETURNS trigger LANGUAGE plpgsql AS $$
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
  RETURN NULL;
END
$$;

CREATE TRIGGER ledger_entries_balanced AFTER INSERT ON ledger_entries
  REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION check_ledger_entries();

CREATE FUNCTION check_ledger_transactions() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  wrong bigint;
BEGIN
  SELECT a.id INTO wrong FROM added a
  WHERE NOT EXISTS (SELECT FROM ledger_entries e WHERE e.transaction_id = a.id) LIMIT 1;
  IF FOUND THEN
    RAISE EXCEPTION 'ledger transaction % has no entries', wrong USING ERRCODE = 'integrity_constraint_violation';
  END IF;
  RETURN NULL;
END
$$;

CREATE TRIGGER ledger_transactions_have_entries AFTER INSERT ON ledger_transactions
  REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION check_ledger_transactions();

-- However the balance row came to its value: when the transaction ends, it is the balance of the newest entry.
CREATE FUNCTION check_balance() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (
    SELECT FROM balances b
    WHERE b.account_id = NEW.account_id AND b.balance <> coalesce(
      (SELECT e.balance FROM ledger_entries e WHERE e.book = 'credit' AND e.account_id = NEW.account_id
       ORDER BY e.transaction_id DESC LIMIT 1), 0)
  ) THEN
    RAISE EXCEPTION 'the balance of account % is not that of its ledger', NEW.account_id
      USING ERRCODE = 'integrity_constraint_violation';
  END IF;
  RETURN NULL;
END
$$;

CREATE CONSTRAINT TRIGGER balances_follow_ledger_on_insert AFTER INSERT ON balances
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (NEW.balance <> 0) EXECUTE FUNCTION check_balance();
CREATE CONSTRAINT TRIGGER balances_follow_ledger AFTER UPDATE OF balance ON balances
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (NEW.balance <> OLD.balance) EXECUTE FUNCTION check_balance();

CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION '% is append-only', TG_TABLE_NAME USING ERRCODE = 'insufficient_privilege';
END
$$;

CREATE TRIGGER ledger_transactions_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON ledger_transactions
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER ledger_entries_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON ledger_entries
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
REVOKE UPDATE, DELETE, TRUNCATE ON ledger_transactions, ledger_entries FROM CURRENT_USER;
CREATE TRIGGER balances_stay BEFORE DELETE OR TRUNCATE ON balances FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
REVOKE DELETE, TRUNCATE ON balances FROM CURRENT_USER;

-- What an account sees of its ledger.
CREATE VIEW statement AS
SELECT t.id, t.account_id, t.at, t.kind, t.description, e.amount, e.balance, t.call_id, t.charge_id
FROM ledger_entries e JOIN ledger_transactions t ON t.id = e.transaction_id
WHERE e.book = 'credit';
