-- Reads all calls while others write to them.
ALTER TABLE calls VALIDATE CONSTRAINT calls_are_final;
