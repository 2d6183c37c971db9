-- What was recorded before, while consumers go on. Older events are no longer in the stream.
INSERT INTO inbox_slots (consumer, event_id, recorded_at)
SELECT consumer, event_id, handled_at FROM inbox WHERE handled_at > now() - interval '8 days'
ON CONFLICT DO NOTHING;
