-- Of numbers that are dialled without one; null: that of the account's phone.
ALTER TABLE accounts ADD COLUMN area_code text;
-- What the links to recordings lead to.
ALTER TABLE accounts ADD COLUMN recording_format text NOT NULL DEFAULT 'wav' CHECK (recording_format IN ('wav', 'mp3'));
