-- One row per carrier with limits. Whoever gives a call a place on the carrier counts its calls and raises the version in one
-- statement: a count that another replica has overtaken is taken again.
CREATE TABLE trunk_places (
  trunk text COLLATE "C" PRIMARY KEY,
  version bigint NOT NULL DEFAULT 0,
  -- The turn of the call that left the line last: whoever joins the line comes after it.
  turn bigint NOT NULL DEFAULT 0,
  -- Calls per second: before these moments no further call may leave the line, and none may be dialled.
  next_leave_at timestamptz NOT NULL DEFAULT 'epoch',
  next_dial_at timestamptz NOT NULL DEFAULT 'epoch'
) WITH (fillfactor = 50);

-- The carrier on which the call has a place, and all that it has tried, the present one last. Null: none with limits is known.
ALTER TABLE live_calls ADD COLUMN trunk text COLLATE "C";
ALTER TABLE live_calls ADD COLUMN trunks text[] COLLATE "C";
-- The carriers for which the call waits, separated by commas. Null: it does not wait.
ALTER TABLE live_calls ADD COLUMN line text COLLATE "C";
-- Its turn in the line; the turns of one account follow each other, so that accounts take turns.
ALTER TABLE live_calls ADD COLUMN turn bigint;
-- It ends then, unless it has left the line.
ALTER TABLE live_calls ADD COLUMN waits_until timestamptz;
-- The place in the line that its timeline tells.
ALTER TABLE live_calls ADD COLUMN told_place integer;
-- When it left the line. Null: it never waited.
ALTER TABLE live_calls ADD COLUMN ready_at timestamptz;

CREATE INDEX live_calls_trunk ON live_calls (trunk) WHERE trunk IS NOT NULL;
CREATE INDEX live_calls_line ON live_calls (line, turn, call_id) WHERE line IS NOT NULL;
CREATE INDEX live_calls_line_accounts ON live_calls (line, account_id, turn) WHERE line IS NOT NULL;
CREATE INDEX live_calls_waits_until ON live_calls (waits_until) WHERE line IS NOT NULL;
CREATE INDEX live_calls_untold ON live_calls (line, turn, call_id) WHERE line IS NOT NULL AND told_place IS NULL;
CREATE INDEX live_calls_waiting_callers ON live_calls (a_channel) WHERE line IS NOT NULL AND a_channel IS NOT NULL;
-- Those that wait for a switch only.
DROP INDEX live_calls_waiting;
CREATE INDEX live_calls_waiting ON live_calls (call_id) WHERE switch IS NULL AND line IS NULL;
DROP INDEX live_calls_unplaced;
CREATE INDEX live_calls_unplaced ON live_calls (switch, call_id) WHERE placed_at IS NULL AND line IS NULL;
