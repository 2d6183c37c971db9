-- A number that several accounts show belongs to the one that showed it first: nobody takes over another's inbound calls by naming its number.
-- Null: since the extension was created. So no row is written anew.
ALTER TABLE extensions ADD COLUMN bina_since timestamptz;

CREATE FUNCTION note_bina_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.bina_since := clock_timestamp();
  RETURN NEW;
END $$;

CREATE TRIGGER extensions_bina_change BEFORE UPDATE OF bina ON extensions
  FOR EACH ROW WHEN (OLD.bina IS DISTINCT FROM NEW.bina) EXECUTE FUNCTION note_bina_change();
