CREATE INDEX CONCURRENTLY ledger_transactions_at ON ledger_transactions (account_id, at, id);
