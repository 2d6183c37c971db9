-- An extension is being called to take a leg over, until then at most. A party that leaves this leg meanwhile is not missed before.
ALTER TABLE live_calls ADD COLUMN called_until timestamptz;
-- Which leg: a or b.
ALTER TABLE live_calls ADD COLUMN called_side text COLLATE "C";
