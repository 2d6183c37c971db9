-- Days on which nothing was sent are not days of failures.
ALTER TABLE integrations ADD COLUMN last_failure_at timestamptz;
