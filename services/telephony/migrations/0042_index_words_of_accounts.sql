-- What a call is found by and never ordered by: its metadata, and the names and the caller id of its extension. All of it is different in
-- each account: the metadata have the account around them, and the hashes have it in them. In calls_words a value of metadata led to the
-- calls of every account that has it.
CREATE INDEX CONCURRENTLY calls_account_words ON calls USING gin (
  (('{"' || account_id::text || '":' || metadata::text || '}')::jsonb) jsonb_path_ops,
  (ARRAY[
    hashtextextended('first_name ' || first_name, account_id),
    hashtextextended('last_name ' || last_name, account_id),
    hashtextextended('bina ' || bina, account_id)
  ])
);
