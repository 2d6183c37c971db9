-- Nodes ask carriers through an edge: one that lives on can cancel what a lost node let ring.

-- Where the edges find each carrier, written by telephony, which looks up its name. They relay calls to nobody else.
CREATE TABLE sip.trunk_servers (
  trunk text COLLATE "C" PRIMARY KEY,
  -- An address, never a name: sip:203.0.113.7:5060
  uri text NOT NULL
);
GRANT SELECT, INSERT, UPDATE, DELETE ON sip.trunk_servers TO sabia_telephony;

CREATE VIEW sip.edge_carriers AS SELECT trunk::varchar AS trunk, uri::varchar AS uri FROM sip.trunk_servers;
GRANT SELECT ON sip.edge_carriers TO sabia_edge;

-- What tells edges, and who chooses among them, whether the carriers have changed.
CREATE VIEW sip.carriers_digest AS
SELECT coalesce(md5(string_agg(trunk || ' ' || uri, ' ' ORDER BY trunk)), 'none') AS digest FROM sip.trunk_servers;
GRANT SELECT ON sip.carriers_digest TO sabia_telephony;

-- The digest of the carriers that the edge has read. Null: an edge of the release before, which relays no calls to carriers.
ALTER TABLE sip.edges ADD COLUMN carriers text COLLATE "C";
-- What a carrier was asked for through an edge before this moment, the edge cannot cancel any more.
ALTER TABLE sip.edges ADD COLUMN started_at timestamptz NOT NULL DEFAULT clock_timestamp();
-- As in 0015, and when that was.
CREATE OR REPLACE FUNCTION sip.edge_started(_edge text) RETURNS void LANGUAGE sql SECURITY DEFINER SET search_path = sip AS $$
  DELETE FROM contacts WHERE edge = _edge AND connection IS NOT NULL;
  UPDATE edges SET started_at = clock_timestamp() WHERE name = _edge;
$$;

-- As in 0016, and whether the carriers have changed.
CREATE FUNCTION sip.edge_round(_edge text, _host inet, _port integer, _is_draining boolean, _carriers text)
RETURNS TABLE (nodes varchar, bans varchar, locks varchar, carriers varchar)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = sip AS $$
BEGIN
  INSERT INTO edges AS edge (name, node_host, node_port, state, seen_at, carriers)
  VALUES (_edge, _host, _port, CASE WHEN _is_draining THEN 'draining' ELSE 'active' END, clock_timestamp(), _carriers)
  ON CONFLICT (name) DO UPDATE SET node_host = excluded.node_host, node_port = excluded.node_port, state = excluded.state,
    seen_at = excluded.seen_at, carriers = excluded.carriers;
  RETURN QUERY SELECT
    (SELECT coalesce(md5(string_agg(setid || destination, ' ' ORDER BY destination, setid)), 'none')::varchar FROM edge_nodes),
    (SELECT coalesce(md5(string_agg(source, ' ' ORDER BY source)), 'none')::varchar FROM edge_bans),
    (SELECT coalesce(md5(string_agg(endpoint, ' ' ORDER BY endpoint)), 'none')::varchar FROM edge_locks),
    (SELECT digest::varchar FROM carriers_digest);
END
$$;
-- Edges of the release before.
CREATE OR REPLACE FUNCTION sip.edge_round(_edge text, _host inet, _port integer, _is_draining boolean)
RETURNS TABLE (nodes varchar, bans varchar, locks varchar) LANGUAGE sql SECURITY DEFINER SET search_path = sip AS
$$ SELECT nodes, bans, locks FROM edge_round(_edge, _host, _port, _is_draining, NULL) $$;
REVOKE EXECUTE ON FUNCTION sip.edge_round(text, inet, integer, boolean, text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION sip.edge_round(text, inet, integer, boolean, text) TO sabia_edge;

-- How often the call was placed before it was lost: edges end what rings because of that placing, and take no more of it from a node that
-- was only frozen.
ALTER TABLE sip.lost_calls ADD COLUMN placed_before integer NOT NULL DEFAULT 0;
GRANT UPDATE ON sip.lost_calls TO sabia_telephony;
CREATE OR REPLACE VIEW sip.edge_lost_calls AS
SELECT call_id::varchar AS call_id, (call_id || '.' || placed_before)::varchar AS placed
FROM sip.lost_calls WHERE lost_at > clock_timestamp() - interval '10 seconds';
