-- The destination as the client of POST /calls or POST /dialer wrote it; to_number is what was made of it.
ALTER TABLE calls ADD COLUMN called text;
-- Of the copy as MP3, once a listener has asked for it.
ALTER TABLE recordings ADD COLUMN mp3_size bigint;
