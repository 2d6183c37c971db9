-- What identity has told of suspensions. Reason null: the account was resumed.
CREATE TABLE suspended_accounts (
  account_id bigint PRIMARY KEY,
  reason text,
  told_at timestamptz NOT NULL
);

-- As in 0007. The endpoints of a suspended account take requests from nowhere; Asterisk answers as it answers strangers.
CREATE OR REPLACE VIEW sip.ps_endpoints AS
SELECT
  e.sip_id AS id,
  e.sip_id AS aors,
  e.sip_id AS auth,
  'auth_username,username'::text AS identify_by,
  'from-extension'::text AS context,
  -- Comes back on every channel: whose call it is.
  e.account_id::text AS accountcode,
  e.domain AS from_domain,
  '"' || translate(e.first_name || ' ' || e.last_name, '"\<>', '') || '" <' || e.ramal || '>' AS callerid,
  'all'::text AS disallow,
  -- Carriers speak G.711: a SIP phone that starts there needs no transcoding. Browsers start with what suits their networks.
  CASE WHEN softphone.is_browser THEN 'opus,alaw,ulaw,g722' ELSE 'alaw,ulaw,g722,opus' END AS allow,
  CASE WHEN softphone.is_browser THEN 'yes' ELSE 'no' END AS webrtc,
  CASE WHEN softphone.is_browser THEN 'yes' ELSE 'no' END AS dtls_auto_generate_cert,
  -- Softphones sit behind NAT, and recordings need the audio to pass through here.
  'no'::text AS direct_media,
  'yes'::text AS rtp_symmetric,
  'yes'::text AS force_rport,
  'yes'::text AS rewrite_contact,
  -- Who is being called is told when the call begins; told again it would cost each call an INVITE of its own.
  'no'::text AS send_connected_line,
  coalesce(suspension.deny, lock.deny) AS deny,
  CASE WHEN suspension.deny IS NULL THEN lock.permit END AS permit,
  -- Seconds without audio after which a softphone has gone: one that lost its network says no goodbye, and its call would go on. Long
  -- enough for phones that send nothing while nobody speaks; on hold all of them do.
  60 AS rtp_timeout,
  600 AS rtp_timeout_hold
FROM extensions e
LEFT JOIN LATERAL (
  SELECT true AS is_browser
  FROM sip.ps_contacts c
  -- Asterisk writes ^3B for a semicolon.
  WHERE c.endpoint = e.sip_id AND c.uri ~* '(\^3B|;)transport=wss?'
  LIMIT 1
) AS softphone ON true
LEFT JOIN LATERAL (
  SELECT
    '0.0.0.0/0,::/0'::text AS deny,
    concat_ws(',', nullif(l.spared, ''), (
      SELECT string_agg(host(source.address), ',')
      FROM (
        SELECT k.address FROM sip.known_sources k WHERE k.endpoint = e.sip_id ORDER BY k.seen_at DESC LIMIT 10
      ) AS source
    )) AS permit
  FROM sip.extension_locks l
  WHERE l.endpoint = e.sip_id AND l.locked_until > clock_timestamp()
) AS lock ON true
LEFT JOIN LATERAL (
  SELECT '0.0.0.0/0,::/0'::text AS deny FROM suspended_accounts s WHERE s.account_id = e.account_id AND s.reason IS NOT NULL
) AS suspension ON true;

-- The same for functions of schema sip.
CREATE VIEW sip.suspended_endpoints AS
SELECT e.sip_id AS endpoint FROM extensions e JOIN suspended_accounts s ON s.account_id = e.account_id WHERE s.reason IS NOT NULL;

-- As in 0015, and -2: the account is suspended. Its softphone may still unregister.
CREATE OR REPLACE FUNCTION sip.register(
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
  IF EXISTS (SELECT FROM suspended_endpoints WHERE endpoint = _endpoint) THEN
    RETURN -2;
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
