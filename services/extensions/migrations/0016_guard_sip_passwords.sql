-- Guessed passwords, counted for all edges together. A source with too many of them is banned; an extension with too many of them, from all
-- sources together, is locked for those that have not registered it before (sip.extension_locks, sip.known_sources).

-- Wrong passwords of late. Of use for minutes only, so it is not worth a flush of the write-ahead log for each guess.
CREATE UNLOGGED TABLE sip.guesses (
  -- As it is counted: sip.counted.
  source inet NOT NULL,
  endpoint text COLLATE "C" NOT NULL,
  transport text COLLATE "C" NOT NULL,
  guessed_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX guesses_source ON sip.guesses (source, guessed_at);
CREATE INDEX guesses_endpoint ON sip.guesses (endpoint, guessed_at);
CREATE INDEX guesses_guessed_at ON sip.guesses (guessed_at);

CREATE TABLE sip.bans (
  source inet PRIMARY KEY,
  banned_until timestamptz NOT NULL
);

-- The addresses that the calls of carriers come from, written by telephony.
CREATE TABLE sip.trunk_sources (
  trunk text COLLATE "C" NOT NULL,
  network inet NOT NULL,
  PRIMARY KEY (trunk, network)
);

GRANT SELECT, DELETE ON sip.guesses, sip.bans TO sabia_telephony;
GRANT SELECT, INSERT, DELETE ON sip.trunk_sources TO sabia_telephony;

-- Whoever has one address of IPv6 has the whole network of it.
CREATE FUNCTION sip.counted(_source inet) RETURNS inet LANGUAGE sql IMMUTABLE AS
$$ SELECT CASE family(_source) WHEN 6 THEN network(set_masklen(_source, 64))::inet ELSE _source END $$;

-- _spared: addresses and networks, separated by commas, or none, that are never banned and may use a locked extension, as proxies with many phones.
CREATE FUNCTION sip.is_spared(_source inet, _spared text) RETURNS boolean LANGUAGE sql STABLE AS
$$ SELECT EXISTS (SELECT FROM unnest(string_to_array(_spared, ',')) AS network WHERE network NOT IN ('', 'none') AND _source <<= network::inet) $$;

-- Somebody who got our challenge has given a wrong password, or named an extension that is not there. Returns 1: the source is banned now.
CREATE FUNCTION sip.note_guess(_endpoint text, _source inet, _transport text, _spared text) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path = sip AS $$
DECLARE
  _counted inet := counted(_source);
  _now timestamptz := clock_timestamp();
BEGIN
  INSERT INTO guesses (source, endpoint, transport) VALUES (_counted, left(_endpoint, 300), _transport);
  -- More than the guesses that ban a source: guessing from one source locks no extension.
  IF (SELECT count(*) FROM guesses WHERE endpoint = left(_endpoint, 300) AND guessed_at > _now - interval '10 minutes') >= 50 THEN
    INSERT INTO extension_locks (endpoint, locked_until, spared) VALUES (left(_endpoint, 300), _now + interval '10 minutes', '')
    ON CONFLICT (endpoint) DO UPDATE SET locked_until = excluded.locked_until;
  END IF;
  IF is_spared(_source, _spared)
    OR (SELECT count(*) FROM guesses WHERE source = _counted AND guessed_at > _now - interval '1 minute') < 20 THEN
    RETURN 0;
  END IF;
  INSERT INTO bans (source, banned_until) VALUES (_counted, _now + interval '10 minutes')
  ON CONFLICT (source) DO UPDATE SET banned_until = excluded.banned_until;
  RETURN 1;
END
$$;

-- Whether a source may use an extension that may be locked.
CREATE FUNCTION sip.is_open(_endpoint text, _source inet, _spared text) RETURNS boolean
LANGUAGE sql SECURITY DEFINER SET search_path = sip AS $$
  SELECT is_spared(_source, _spared)
    OR NOT EXISTS (SELECT FROM extension_locks WHERE endpoint = _endpoint AND locked_until > clock_timestamp())
    OR EXISTS (SELECT FROM known_sources WHERE endpoint = _endpoint AND address = _source)
$$;

-- The trunk whose calls come from this address; null: none.
CREATE FUNCTION sip.trunk_of(_source inet) RETURNS text LANGUAGE sql STABLE SECURITY DEFINER SET search_path = sip AS
$$ SELECT trunk FROM trunk_sources WHERE _source <<= network ORDER BY masklen(network) DESC, trunk LIMIT 1 $$;

CREATE VIEW sip.edge_bans AS
SELECT (CASE family(source) WHEN 6 THEN source::text ELSE host(source) END)::varchar AS source
FROM sip.bans WHERE banned_until > clock_timestamp() ORDER BY banned_until DESC LIMIT 50000;
CREATE VIEW sip.edge_locks AS
SELECT endpoint::varchar AS endpoint FROM sip.extension_locks WHERE locked_until > clock_timestamp() LIMIT 50000;

-- An edge is here; returns what tells it whether nodes, bans or locks have changed.
CREATE FUNCTION sip.edge_round(_edge text, _host inet, _port integer, _is_draining boolean)
RETURNS TABLE (nodes varchar, bans varchar, locks varchar) LANGUAGE plpgsql SECURITY DEFINER SET search_path = sip AS $$
BEGIN
  INSERT INTO edges (name, node_host, node_port, state, seen_at)
  VALUES (_edge, _host, _port, CASE WHEN _is_draining THEN 'draining' ELSE 'active' END, clock_timestamp())
  ON CONFLICT (name) DO UPDATE SET node_host = excluded.node_host, node_port = excluded.node_port, state = excluded.state,
    seen_at = excluded.seen_at;
  RETURN QUERY SELECT
    (SELECT coalesce(md5(string_agg(setid || destination, ' ' ORDER BY destination, setid)), 'none')::varchar FROM edge_nodes),
    (SELECT coalesce(md5(string_agg(source, ' ' ORDER BY source)), 'none')::varchar FROM edge_bans),
    (SELECT coalesce(md5(string_agg(endpoint, ' ' ORDER BY endpoint)), 'none')::varchar FROM edge_locks);
END
$$;

REVOKE EXECUTE ON FUNCTION sip.counted, sip.is_spared, sip.note_guess, sip.is_open, sip.trunk_of, sip.edge_round FROM PUBLIC;
GRANT EXECUTE ON FUNCTION sip.counted, sip.note_guess, sip.is_open, sip.trunk_of, sip.edge_round TO sabia_edge;
GRANT SELECT ON sip.edge_bans, sip.edge_locks TO sabia_edge;
