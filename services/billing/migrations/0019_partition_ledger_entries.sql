-- The table that is there becomes the first partition: its rows were checked, and its indexes are taken over, not built. It keeps its
-- triggers and rights, and the table of partitions has the same: statements can name either. Billing makes the ranges to come
-- (src/storage/ledger-ranges.ts).
DO $$
BEGIN
  LOCK TABLE ledger_entries IN ACCESS EXCLUSIVE MODE;
  ALTER TABLE ledger_entries RENAME TO ledger_entries_before;
  ALTER INDEX ledger_entries_pkey RENAME TO ledger_entries_before_pkey;
  ALTER INDEX ledger_entries_of_account RENAME TO ledger_entries_before_of_account;

  CREATE TABLE ledger_entries (LIKE ledger_entries_before INCLUDING DEFAULTS INCLUDING CONSTRAINTS)
    PARTITION BY RANGE (transaction_id);
  ALTER TABLE ledger_entries DROP CONSTRAINT ledger_entries_bound;
  ALTER TABLE ledger_entries ADD PRIMARY KEY (transaction_id, book);
  CREATE INDEX ledger_entries_of_account ON ledger_entries (account_id, transaction_id DESC) WHERE book = 'credit';
  EXECUTE format(
    'ALTER TABLE ledger_entries ATTACH PARTITION ledger_entries_before FOR VALUES FROM (MINVALUE) TO (%s)',
    (SELECT substring(pg_get_constraintdef(oid) FROM '< ''?(\d+)') FROM pg_constraint
     WHERE conname = 'ledger_entries_bound' AND conrelid = 'ledger_entries_before'::regclass)
  );
  ALTER TABLE ledger_entries_before DROP CONSTRAINT ledger_entries_bound;
END $$;

CREATE TRIGGER ledger_entries_balanced AFTER INSERT ON ledger_entries
  REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION check_ledger_entries();
CREATE TRIGGER ledger_entries_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON ledger_entries
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
REVOKE UPDATE, DELETE, TRUNCATE ON ledger_entries FROM CURRENT_USER;

-- The views were on the table that is the first partition now.
CREATE OR REPLACE VIEW statement AS
SELECT t.id, t.account_id, t.at, t.kind, t.description, e.amount, e.balance, t.call_id, t.charge_id, t.reference
FROM ledger_entries e JOIN ledger_transactions t ON t.id = e.transaction_id AND t.account_id = e.account_id
WHERE e.book = 'credit';

CREATE OR REPLACE VIEW whole_statement AS
SELECT t.id, e.account_id, t.at, t.kind, t.description, e.amount, e.balance, t.call_id, t.charge_id, t.reference
FROM ledger_entries e JOIN ledger_transactions t ON t.id = e.transaction_id
WHERE e.book = 'credit';

-- The checks as before, but they name the movements that they can be about: the other ranges then cost nothing.
CREATE OR REPLACE FUNCTION check_ledger_transactions() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  first bigint;
  last bigint;
  wrong bigint;
BEGIN
  SELECT min(id), max(id) INTO first, last FROM added;
  SELECT a.id INTO wrong FROM added a
  WHERE NOT EXISTS (SELECT FROM ledger_entries e WHERE e.transaction_id = a.id AND e.transaction_id BETWEEN first AND last) LIMIT 1;
  IF FOUND THEN
    RAISE EXCEPTION 'ledger transaction % has no entries', wrong USING ERRCODE = 'integrity_constraint_violation';
  END IF;
  RETURN NULL;
END
$$;

CREATE OR REPLACE FUNCTION check_balance() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  -- What has just changed the balance is one of the newest movements.
  recent bigint := coalesce(pg_sequence_last_value('ledger_transactions_id_seq'), 0) - 1000000;
  booked numeric;
BEGIN
  SELECT e.balance INTO booked FROM ledger_entries e
  WHERE e.book = 'credit' AND e.account_id = NEW.account_id AND e.transaction_id > recent
  ORDER BY e.transaction_id DESC LIMIT 1;
  IF NOT FOUND THEN
    SELECT e.balance INTO booked FROM ledger_entries e WHERE e.book = 'credit' AND e.account_id = NEW.account_id
    ORDER BY e.transaction_id DESC LIMIT 1;
  END IF;
  IF EXISTS (SELECT FROM balances b WHERE b.account_id = NEW.account_id AND b.balance <> coalesce(booked, 0)) THEN
    RAISE EXCEPTION 'the balance of account % is not that of its ledger', NEW.account_id
      USING ERRCODE = 'integrity_constraint_violation';
  END IF;
  RETURN NULL;
END
$$;
