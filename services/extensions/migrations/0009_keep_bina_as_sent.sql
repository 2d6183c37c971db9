-- What a client wrote, to be shown again; bina itself stays in E.164 digits, for carriers and comparisons. Null: shown as it is in bina.
ALTER TABLE extensions ADD COLUMN bina_as_sent text;

-- As in 0004. Whoever changes the number and not its writing is code of the release before: the writing is out of date then.
CREATE OR REPLACE FUNCTION note_bina_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.bina_since := clock_timestamp();
  IF NEW.bina_as_sent IS NOT DISTINCT FROM OLD.bina_as_sent THEN
    NEW.bina_as_sent := NULL;
  END IF;
  RETURN NEW;
END $$;
