-- recordings_of_account has taken its place: with both, PostgreSQL may look for the recordings of one account among those of all.
DROP INDEX recordings_kept;
