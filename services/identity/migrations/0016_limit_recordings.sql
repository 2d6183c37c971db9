-- Days for which telephony keeps the recordings of the account. Null: as long as those of every account.
ALTER TABLE accounts ADD COLUMN recording_retention_days integer;
