-- What a call is found by and never ordered by: its metadata, and the names and the caller id of its extension. These are hashes that
-- are different in each account; whoever looks for one compares the column, too.
CREATE INDEX CONCURRENTLY calls_words ON calls USING gin (
  (metadata::jsonb) jsonb_path_ops,
  (ARRAY[
    hashtextextended('first_name ' || first_name, account_id),
    hashtextextended('last_name ' || last_name, account_id),
    hashtextextended('bina ' || bina, account_id)
  ])
);
