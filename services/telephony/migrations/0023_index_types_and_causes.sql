-- One index for two fields of few values. A filter by the cause alone names all three types.
CREATE INDEX CONCURRENTLY calls_type_and_cause ON calls (account_id, call_type, hangup_cause, id);
