-- Reads the whole table while others write to it.
ALTER TABLE reservations VALIDATE CONSTRAINT reservations_bound;
