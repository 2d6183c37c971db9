-- Reads the whole table while others write to it.
ALTER TABLE ledger_entries VALIDATE CONSTRAINT ledger_entries_bound;
