-- The page of a web phone was closed: unless its extension is called back by then, the call ends. Null: nobody has left.
ALTER TABLE live_calls ADD COLUMN left_until timestamptz;
-- Which leg was left: a or b.
ALTER TABLE live_calls ADD COLUMN left_side text COLLATE "C";
