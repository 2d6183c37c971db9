-- When each leg of a call was answered and ended, by Asterisk's own clock (its channel event log): telephony reads it for calls
-- that ended while it was away, and removes it. Four rows for each call, of use for a moment: so they are not worth a flush of
-- the write-ahead log each. A crash of PostgreSQL empties the table; such calls ended when they were last seen.
DO $$
BEGIN
  -- An earlier bootstrap.sql made the table, with the same rights; it belongs to the administrator there.
  IF to_regclass('sip.leg_events') IS NOT NULL THEN
    RETURN;
  END IF;
  CREATE UNLOGGED TABLE sip.leg_events (
    uniqueid text COLLATE "C" NOT NULL,
    eventtype text COLLATE "C" NOT NULL,
    -- Seconds since 1970: any other type would be written in the time zone of Asterisk's machine.
    eventtime double precision NOT NULL,
    -- JSON: the cause of an end.
    extra text
  );
  CREATE INDEX leg_events_uniqueid ON sip.leg_events (uniqueid);
  GRANT INSERT ON sip.leg_events TO sabia_asterisk;
  GRANT SELECT, DELETE ON sip.leg_events TO sabia_telephony;
END $$;
