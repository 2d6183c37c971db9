-- The movement of a call is found by its reference, through the index that keeps it from being booked twice.
CREATE OR REPLACE VIEW statement AS
SELECT t.id, t.account_id, t.at, t.kind, t.description, e.amount, e.balance, t.call_id, t.charge_id, t.reference
FROM ledger_entries e JOIN ledger_transactions t ON t.id = e.transaction_id
WHERE e.book = 'credit';
