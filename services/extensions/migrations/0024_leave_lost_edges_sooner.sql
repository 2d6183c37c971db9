-- As in 0023, but for the choice of the edge. Edges sign in twice a second: one that has missed three rounds, or drains, is replaced at once
-- by another one for softphones over UDP. After five seconds, as before, calls had failed for want of the edge.
CREATE OR REPLACE VIEW sip.ways AS
SELECT c.endpoint, c.transport, c.expires_at,
  edge.uri || ';lr;at=' || c.socket || ';phone=' || replace(c.endpoint, '@', '%40')
    || ';received=' || replace(replace(c.received, ';', '%3B'), '=', '%3D') AS way,
  edge.name AS edge, edge.uri AS edge_uri, c.socket, c.received
FROM sip.contacts c
CROSS JOIN LATERAL (
  SELECT name,
    'sip:' || CASE family(node_host) WHEN 6 THEN '[' || host(node_host) || ']' ELSE host(node_host) END || ':' || node_port || ';transport=tcp' AS uri
  FROM (
    SELECT *, seen_at > clock_timestamp() - interval '1500 milliseconds' AS is_here, state = 'active' AS is_active FROM sip.edges
  ) AS each
  WHERE name = c.edge OR (c.connection IS NULL AND is_here)
  ORDER BY name = c.edge AND is_here AND (is_active OR c.connection IS NOT NULL) DESC, is_here AND is_active DESC, seen_at DESC LIMIT 1
) AS edge
WHERE c.expires_at > clock_timestamp();
