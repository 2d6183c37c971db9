-- Reads the whole table while others write to it.
DO $$
DECLARE
  bounded regclass;
BEGIN
  FOR bounded IN
    SELECT conrelid FROM pg_constraint JOIN pg_class ON pg_class.oid = conrelid
    WHERE conname = 'calls_bound' AND NOT convalidated AND relnamespace = current_schema()::regnamespace
  LOOP
    EXECUTE format('ALTER TABLE %s VALIDATE CONSTRAINT calls_bound', bounded);
  END LOOP;
END $$;
