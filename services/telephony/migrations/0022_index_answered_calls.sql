-- Calls that have ended only: the answers of the others are in live_calls. The condition spares reading the rows to count them.
CREATE INDEX CONCURRENTLY calls_answered ON calls (account_id, answered_at, id)
  WHERE ended_at IS NOT NULL AND answered_at IS NOT NULL;
