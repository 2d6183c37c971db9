-- Wrong passwords, bans and locks are counted in telephony's metrics: each by one replica, which marks it as told.
ALTER TABLE sip.guesses ADD COLUMN is_told boolean NOT NULL DEFAULT false;
ALTER TABLE sip.bans ADD COLUMN is_told boolean NOT NULL DEFAULT false;
ALTER TABLE sip.extension_locks ADD COLUMN is_told boolean NOT NULL DEFAULT false;
CREATE INDEX guesses_untold ON sip.guesses (guessed_at) WHERE NOT is_told;

GRANT UPDATE ON sip.guesses, sip.bans TO sabia_telephony;

-- As in 0015, where every value was refused: PostgreSQL has no character 0, not even to look for it.
CREATE OR REPLACE FUNCTION sip.said(hex text) RETURNS text LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
  RETURN convert_from(decode(hex, 'hex'), 'UTF8');
EXCEPTION WHEN character_not_in_repertoire OR untranslatable_character THEN
  RETURN convert_from(decode((
    SELECT coalesce(string_agg(substr(hex, at, 2), '' ORDER BY at), '') FROM generate_series(1, length(hex), 2) AS at
    WHERE substr(hex, at, 2) <> '00'
  ), 'hex'), 'LATIN1');
END
$$;
