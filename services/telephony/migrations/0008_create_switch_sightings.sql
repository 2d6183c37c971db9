-- When the replica that drives a switch last had an answer from it. Of a call that the switch lost without a word, this is the last moment
-- at which it is known to have existed.
CREATE TABLE switch_sightings (
  switch text COLLATE "C" PRIMARY KEY,
  seen_at timestamptz NOT NULL
) WITH (fillfactor = 50);
