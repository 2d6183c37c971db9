-- An extension that is to take a leg of the call over, until the driver has called it. Null: none.
ALTER TABLE live_calls ADD COLUMN transfer_to text COLLATE "C";
-- Which leg it takes over: a or b.
ALTER TABLE live_calls ADD COLUMN transfer_side text COLLATE "C";
-- The extensions that have taken a leg over; null: the leg is with the one it was placed with.
ALTER TABLE live_calls ADD COLUMN a_ramal text COLLATE "C";
ALTER TABLE live_calls ADD COLUMN b_ramal text COLLATE "C";
