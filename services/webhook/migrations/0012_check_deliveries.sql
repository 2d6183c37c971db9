-- Reads the whole table while others write to it.
ALTER TABLE deliveries VALIDATE CONSTRAINT deliveries_bound;
