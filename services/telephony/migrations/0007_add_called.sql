-- The destination as the client of POST /calls or POST /dialer wrote it; to_number is what was made of it.
ALTER TABLE calls ADD COLUMN called text;
