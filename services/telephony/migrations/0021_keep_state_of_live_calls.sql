-- The state of a call while it lasts: its record in calls is written when it is accepted and completed when it ends. Neither column
-- is in an index, so that these updates spare all of them.
ALTER TABLE live_calls ADD COLUMN is_ringing boolean NOT NULL DEFAULT false;
-- When the callee answered. Null: nobody has.
ALTER TABLE live_calls ADD COLUMN talking_since timestamptz;

-- Both are written in one statement with the record, so the check found nothing, and cost each call a lock on its record.
ALTER TABLE live_calls DROP CONSTRAINT live_calls_call_id_fkey;
ALTER TABLE recordings DROP CONSTRAINT recordings_call_id_fkey;

-- Replicas of the former release look for the state in calls. While one of them runs it is written there, too.
ALTER TABLE replicas ADD COLUMN reads_live_state boolean NOT NULL DEFAULT false;
