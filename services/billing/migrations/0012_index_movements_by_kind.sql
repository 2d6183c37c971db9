-- Nearly all movements are calls, and a list of these is nearly the whole list: they need no index.
CREATE INDEX CONCURRENTLY ledger_transactions_kind ON ledger_transactions (account_id, kind, at, id) WHERE kind <> 'call';
