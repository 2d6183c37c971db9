-- SIP edges (Kamailio, role sabia_edge) ask for passwords and write where each softphone is, by functions of this schema only; nodes
-- (Asterisk, role sabia_asterisk) read it. What Asterisk wrote and read before (ps_contacts, ps_endpoints, ps_auths, ps_aors) stays until
-- no node of the release before is left.

-- The edges, which sign in twice a second: how nodes reach each of them.
CREATE TABLE sip.edges (
  name text COLLATE "C" PRIMARY KEY,
  node_host inet NOT NULL,
  node_port integer NOT NULL,
  -- active: takes phones. draining: keeps those it has. Whether it is gone tells seen_at.
  state text COLLATE "C" NOT NULL CHECK (state IN ('active', 'draining')),
  seen_at timestamptz NOT NULL
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500);

-- Where each softphone is.
CREATE TABLE sip.contacts (
  -- As Asterisk names contacts: the endpoint, ^3B for a semicolon, @ and a hash of the URI.
  id text COLLATE "C" PRIMARY KEY,
  -- ramal@domain
  endpoint text COLLATE "C" NOT NULL,
  uri text NOT NULL,
  expires_at timestamptz NOT NULL,
  user_agent text,
  -- Of the REGISTER: an overtaken one changes nothing.
  call_id text COLLATE "C" NOT NULL,
  cseq bigint NOT NULL,
  edge text COLLATE "C" NOT NULL,
  -- The socket of the edge that it came to, by name.
  socket text COLLATE "C" NOT NULL,
  transport text COLLATE "C" NOT NULL,
  -- Where the edge finds it, as a URI.
  received text NOT NULL,
  -- The connection that it ends with. Null: it came over UDP.
  connection text COLLATE "C",
  -- The address that it has; of a web phone, the one that the gateway saw.
  source inet NOT NULL
) WITH (fillfactor = 70);
CREATE INDEX contacts_endpoint ON sip.contacts (endpoint);
CREATE INDEX contacts_expires_at ON sip.contacts (expires_at);
CREATE INDEX contacts_connection ON sip.contacts (edge, connection) WHERE connection IS NOT NULL;

GRANT SELECT, DELETE ON sip.contacts TO sabia_telephony;
GRANT SELECT ON sip.edges TO sabia_telephony;
GRANT DELETE ON sip.edges TO sabia_telephony;

-- What came and went, in the transaction of the change itself. The new softphone of an extension is written before the older one is removed.
CREATE FUNCTION sip.note_contact() RETURNS trigger LANGUAGE plpgsql SET search_path = sip AS $$
DECLARE
  contact sip.contacts%ROWTYPE;
BEGIN
  contact := CASE TG_OP WHEN 'INSERT' THEN NEW ELSE OLD END;
  INSERT INTO sip.contact_changes (change, endpoint, uri, user_agent, others)
  SELECT CASE TG_OP WHEN 'INSERT' THEN 'added' ELSE 'removed' END, contact.endpoint, contact.uri, contact.user_agent,
    EXISTS (SELECT FROM sip.contacts WHERE endpoint = contact.endpoint AND id <> contact.id);
  RETURN NULL;
END
$$;
CREATE TRIGGER contacts_note AFTER INSERT OR DELETE ON sip.contacts
FOR EACH ROW EXECUTE FUNCTION sip.note_contact();

-- What a phone says of itself comes from the edges in hexadecimal, so that there is nothing to escape. What is no UTF-8 is taken for Latin-1.
CREATE FUNCTION sip.said(hex text) RETURNS text LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
  RETURN replace(convert_from(decode(hex, 'hex'), 'UTF8'), chr(0), '');
EXCEPTION WHEN character_not_in_repertoire OR untranslatable_character THEN
  RETURN convert_from(replace(decode(hex, 'hex')::text, '\x00', '')::bytea, 'LATIN1');
END
$$;

-- Asterisk's realtime engine splits values at semicolons.
CREATE FUNCTION sip.encoded(value text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS
$$ SELECT replace(replace(value, '^', '^5E'), ';', '^3B') $$;

-- One registration, whichever edge it came to: the newest softphone of an extension wins. A retransmitted or overtaken REGISTER of the same
-- softphone changes nothing. Returns the seconds granted; -1: it was overtaken.
CREATE FUNCTION sip.register(
  _endpoint text, _uri text, _seconds integer, _edge text, _socket text, _transport text, _received text, _connection text,
  _source inet, _user_agent text, _call_id text, _cseq bigint
) RETURNS integer LANGUAGE plpgsql SECURITY DEFINER SET search_path = sip AS $$
DECLARE
  _id text := encoded(_endpoint || ';@' || md5(_uri));
  _granted integer := CASE WHEN _seconds <= 0 THEN 0 ELSE least(greatest(_seconds, 60), 3600) END;
BEGIN
  -- Two softphones of one extension at two edges: one after the other.
  PERFORM pg_advisory_xact_lock(hashtextextended(_endpoint, 5060));
  IF EXISTS (SELECT FROM contacts WHERE endpoint = _endpoint AND call_id = _call_id AND cseq > _cseq) THEN
    RETURN -1;
  END IF;
  IF _granted = 0 THEN
    DELETE FROM contacts WHERE endpoint = _endpoint AND (id = _id OR _uri = '*');
    RETURN 0;
  END IF;
  INSERT INTO contacts
    (id, endpoint, uri, expires_at, user_agent, call_id, cseq, edge, socket, transport, received, connection, source)
  VALUES
    (_id, _endpoint, _uri, clock_timestamp() + make_interval(secs => _granted), _user_agent, _call_id, _cseq, _edge, _socket, _transport,
      _received, nullif(_connection, ''), _source)
  ON CONFLICT (id) DO UPDATE SET expires_at = excluded.expires_at, user_agent = excluded.user_agent, call_id = excluded.call_id,
    cseq = excluded.cseq, edge = excluded.edge, socket = excluded.socket, transport = excluded.transport,
    received = excluded.received, connection = excluded.connection, source = excluded.source;
  DELETE FROM contacts WHERE endpoint = _endpoint AND id <> _id;
  -- An address that has registered the extension may do so while the extension is locked. Once a day is often enough.
  IF NOT EXISTS (
    SELECT FROM known_sources WHERE endpoint = _endpoint AND address = _source AND seen_at > clock_timestamp() - interval '1 day'
  ) THEN
    INSERT INTO known_sources (endpoint, address, seen_at) VALUES (_endpoint, _source, clock_timestamp())
    ON CONFLICT (endpoint, address) DO UPDATE SET seen_at = excluded.seen_at;
  END IF;
  RETURN _granted;
END
$$;

-- A TCP or WebSocket connection has ended, and with it what was registered over it; not what has registered again over another one.
CREATE FUNCTION sip.connection_ended(_edge text, _connection text) RETURNS void LANGUAGE sql SECURITY DEFINER SET search_path = sip AS
$$ DELETE FROM contacts WHERE edge = _edge AND connection = _connection $$;

-- An edge starts: no connection of its former life is left. UDP needs none.
CREATE FUNCTION sip.edge_started(_edge text) RETURNS void LANGUAGE sql SECURITY DEFINER SET search_path = sip AS
$$ DELETE FROM contacts WHERE edge = _edge AND connection IS NOT NULL $$;

-- For the digests of passwords. Kamailio takes PostgreSQL's text for a blob, which it refuses here.
CREATE VIEW sip.edge_users AS SELECT ramal::varchar AS username, domain::varchar AS domain, ha1::varchar AS ha1 FROM extensions;

-- Where calls may go, in the format of Kamailio's dispatcher: set 1 takes new calls, set 2 only keeps those it has.
CREATE VIEW sip.edge_nodes AS
SELECT
  row_number() OVER (ORDER BY name)::integer AS id,
  CASE state WHEN 'active' THEN 1 ELSE 2 END AS setid,
  ('sip:' || CASE WHEN sip_host LIKE '%:%' THEN '[' || sip_host || ']' ELSE sip_host END || ':' || sip_port)::varchar AS destination,
  0 AS flags, 0 AS priority, ''::varchar AS attrs, name::varchar AS description
FROM sip.switches WHERE state <> 'gone';
-- The dispatcher wants to know the version of its table's format.
CREATE VIEW sip.version AS SELECT 'edge_nodes'::varchar AS table_name, 4 AS table_version;

-- What nodes read (PJSIP realtime). Every column is the name of a PJSIP option: Asterisk refuses an object with any other.

-- The way to a softphone: the edge that has it, which finds the rest in the parameters. An edge that is not there any more is replaced by
-- another one for softphones over UDP, which a request of any edge may reach.
CREATE VIEW sip.ways AS
SELECT c.endpoint, c.transport, c.expires_at,
  'sip:' || CASE family(edge.node_host) WHEN 6 THEN '[' || host(edge.node_host) || ']' ELSE host(edge.node_host) END || ':' || edge.node_port
    || ';transport=tcp;lr;at=' || c.socket || ';received=' || replace(replace(c.received, ';', '%3B'), '=', '%3D') AS way
FROM sip.contacts c
CROSS JOIN LATERAL (
  SELECT node_host, node_port FROM sip.edges
  WHERE name = c.edge OR (c.connection IS NULL AND seen_at > clock_timestamp() - interval '5 seconds')
  ORDER BY (name = c.edge AND seen_at > clock_timestamp() - interval '5 seconds') DESC, seen_at DESC LIMIT 1
) AS edge
WHERE c.expires_at > clock_timestamp();

-- Asterisk 22 has no endpoint that offers DTLS to a browser and plain RTP to a SIP phone. An extension has one softphone at a time, so its
-- endpoint is what that softphone needs. Nobody is asked for a password here, because the edge has asked: so only edges are listened to.
CREATE VIEW sip.node_endpoints AS
SELECT
  e.sip_id AS id,
  e.sip_id AS aors,
  'username'::text AS identify_by,
  'from-extension'::text AS context,
  -- Comes back on every channel: whose call it is.
  e.account_id::text AS accountcode,
  e.domain AS from_domain,
  '"' || translate(e.first_name || ' ' || e.last_name, '"\<>', '') || '" <' || e.ramal || '>' AS callerid,
  'all'::text AS disallow,
  -- Carriers speak G.711: a SIP phone that starts there needs no transcoding. Browsers start with what suits their networks.
  CASE WHEN softphone.transport IN ('ws', 'wss') THEN 'opus,alaw,ulaw,g722' ELSE 'alaw,ulaw,g722,opus' END AS allow,
  CASE WHEN softphone.transport IN ('ws', 'wss') THEN 'yes' ELSE 'no' END AS webrtc,
  CASE WHEN softphone.transport IN ('ws', 'wss') THEN 'yes' ELSE 'no' END AS dtls_auto_generate_cert,
  -- Keys of SRTP are worth something where nobody else reads them: over TLS. A phone without SRTP goes on without.
  CASE WHEN softphone.transport = 'tls' THEN 'sdes' END AS media_encryption,
  CASE WHEN softphone.transport = 'tls' THEN 'yes' END AS media_encryption_optimistic,
  -- Recordings need the audio to pass through here, and softphones sit behind NAT.
  'no'::text AS direct_media,
  'yes'::text AS rtp_symmetric,
  -- The edge sees to NAT; here it would put its own address in.
  'no'::text AS force_rport,
  'no'::text AS rewrite_contact,
  -- Who is being called is told when the call begins; told again it would cost each call an INVITE of its own.
  'no'::text AS send_connected_line,
  '0.0.0.0/0,::/0'::text AS deny,
  (SELECT string_agg(DISTINCT host(node_host), ',') FROM sip.edges) AS permit,
  -- Seconds without audio after which a softphone has gone: one that lost its network says no goodbye, and its call would go on. Long
  -- enough for phones that send nothing while nobody speaks; on hold all of them do.
  60 AS rtp_timeout,
  600 AS rtp_timeout_hold,
  sip.encoded(softphone.way) AS outbound_proxy
FROM extensions e
LEFT JOIN LATERAL (
  SELECT transport, way FROM sip.ways WHERE endpoint = e.sip_id ORDER BY expires_at DESC LIMIT 1
) AS softphone ON true;

CREATE VIEW sip.node_aors AS
SELECT sip_id AS id, 1 AS max_contacts, 'yes'::text AS remove_existing, 0 AS qualify_frequency FROM extensions;

-- What has expired is invisible at once, whenever it is swept.
CREATE VIEW sip.node_contacts AS
SELECT id, endpoint, sip.encoded(uri) AS uri, extract(epoch FROM expires_at)::bigint AS expiration_time,
  sip.encoded(user_agent) AS user_agent, 'no'::text AS prune_on_boot, 0 AS qualify_frequency
FROM sip.contacts WHERE expires_at > clock_timestamp();

REVOKE EXECUTE ON FUNCTION sip.said, sip.encoded, sip.register, sip.connection_ended, sip.edge_started FROM PUBLIC;
GRANT EXECUTE ON FUNCTION sip.encoded TO sabia_asterisk;
GRANT SELECT ON sip.node_endpoints, sip.node_aors, sip.node_contacts TO sabia_asterisk;
GRANT EXECUTE ON FUNCTION sip.said, sip.register, sip.connection_ended, sip.edge_started TO sabia_edge;
GRANT SELECT ON sip.edge_users, sip.edge_nodes, sip.version TO sabia_edge;
