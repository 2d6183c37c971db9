-- What identity tells of an account beside its time zone: the area code of numbers dialled without one, and the format of recordings.
ALTER TABLE account_zones ADD COLUMN area_code text NOT NULL DEFAULT '';
ALTER TABLE account_zones ADD COLUMN recording_format text NOT NULL DEFAULT 'wav';
