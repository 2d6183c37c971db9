-- Calls whose switch was lost before they were answered, written by telephony. The edges end what still rings because of them: their
-- phones would ring on, and a second time when the call is placed again on another switch.
CREATE TABLE sip.lost_calls (
  call_id uuid PRIMARY KEY,
  lost_at timestamptz NOT NULL DEFAULT clock_timestamp()
);

CREATE VIEW sip.edge_lost_calls AS
SELECT call_id::varchar AS call_id FROM sip.lost_calls WHERE lost_at > clock_timestamp() - interval '10 seconds';

GRANT SELECT, INSERT, DELETE ON sip.lost_calls TO sabia_telephony;
GRANT SELECT ON sip.edge_lost_calls TO sabia_edge;
