-- Both sides of the join name the account, so that no plan reads the movements of others.
CREATE OR REPLACE VIEW statement AS
SELECT t.id, t.account_id, t.at, t.kind, t.description, e.amount, e.balance, t.call_id, t.charge_id, t.reference
FROM ledger_entries e JOIN ledger_transactions t ON t.id = e.transaction_id AND t.account_id = e.account_id
WHERE e.book = 'credit';

-- The same for a list without a filter. The account is that of the entry alone: with both, PostgreSQL expects hardly any match and sorts all of them.
CREATE VIEW whole_statement AS
SELECT t.id, e.account_id, t.at, t.kind, t.description, e.amount, e.balance, t.call_id, t.charge_id, t.reference
FROM ledger_entries e JOIN ledger_transactions t ON t.id = e.transaction_id
WHERE e.book = 'credit';
