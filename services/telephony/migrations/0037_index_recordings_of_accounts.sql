-- Recordings go when those of their account are to go: the oldest of each account says whether any of its are due.
CREATE INDEX CONCURRENTLY recordings_of_account ON recordings (account_id, recorded_at) WHERE recorded_at IS NOT NULL AND deleted_at IS NULL;
