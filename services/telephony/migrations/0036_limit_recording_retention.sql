-- For how many days the recordings of the account are kept, as identity has told it. Null: RECORDING_RETENTION_DAYS.
ALTER TABLE account_limits ADD COLUMN recording_retention_days integer;
