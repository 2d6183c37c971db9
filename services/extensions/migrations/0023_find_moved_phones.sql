-- What a node says in a call comes to any edge, with the name of the phone in its route: an edge that has not got the phone looks here for
-- the edge that has. As in 0015 otherwise; the phone is named in the way.
CREATE OR REPLACE VIEW sip.ways AS
SELECT c.endpoint, c.transport, c.expires_at,
  edge.uri || ';lr;at=' || c.socket || ';phone=' || replace(c.endpoint, '@', '%40')
    || ';received=' || replace(replace(c.received, ';', '%3B'), '=', '%3D') AS way,
  edge.name AS edge, edge.uri AS edge_uri, c.socket, c.received
FROM sip.contacts c
CROSS JOIN LATERAL (
  SELECT name,
    'sip:' || CASE family(node_host) WHEN 6 THEN '[' || host(node_host) || ']' ELSE host(node_host) END || ':' || node_port || ';transport=tcp' AS uri
  FROM sip.edges
  WHERE name = c.edge OR (c.connection IS NULL AND seen_at > clock_timestamp() - interval '5 seconds')
  ORDER BY (name = c.edge AND seen_at > clock_timestamp() - interval '5 seconds') DESC, seen_at DESC LIMIT 1
) AS edge
WHERE c.expires_at > clock_timestamp();

CREATE FUNCTION sip.way_to(_endpoint text) RETURNS TABLE (edge varchar, edge_uri varchar, socket varchar, received varchar)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = sip AS $$
  SELECT edge::varchar, edge_uri::varchar, socket::varchar, received::varchar FROM ways
  WHERE endpoint = _endpoint ORDER BY expires_at DESC LIMIT 1
$$;

-- The edges that live, for each other.
CREATE VIEW sip.edge_peers AS
SELECT name::varchar AS name, host(node_host)::varchar AS host,
  ('sip:' || CASE family(node_host) WHEN 6 THEN '[' || host(node_host) || ']' ELSE host(node_host) END || ':' || node_port || ';transport=tcp')::varchar AS uri
FROM sip.edges WHERE seen_at > clock_timestamp() - interval '2 seconds';

REVOKE EXECUTE ON FUNCTION sip.way_to FROM PUBLIC;
GRANT EXECUTE ON FUNCTION sip.way_to TO sabia_edge;
GRANT SELECT ON sip.edge_peers TO sabia_edge;
