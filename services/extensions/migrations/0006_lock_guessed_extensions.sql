-- An extension whose senha is being guessed from many addresses is locked for a while: telephony writes the row, and while it is
-- in force the endpoint takes requests only from where this extension's own softphones have registered before, and from spared
-- addresses (gateways). Asterisk answers anybody else as it answers strangers, the right senha included.
CREATE TABLE sip.extension_locks (
  endpoint text COLLATE "C" PRIMARY KEY,
  locked_until timestamptz NOT NULL,
  -- Addresses and networks, separated by commas, as Asterisk's `permit` wants them.
  spared text NOT NULL
);

-- The source addresses of the softphones that have registered, written by telephony.
CREATE TABLE sip.known_sources (
  endpoint text COLLATE "C" NOT NULL,
  address inet NOT NULL,
  seen_at timestamptz NOT NULL,
  PRIMARY KEY (endpoint, address)
);
CREATE INDEX known_sources_seen_at ON sip.known_sources (seen_at);

GRANT SELECT, INSERT, UPDATE, DELETE ON sip.extension_locks, sip.known_sources TO sabia_telephony;

-- Softphones that are registered already are not told of again while they stay.
INSERT INTO sip.known_sources (endpoint, address, seen_at)
SELECT DISTINCT endpoint, substring(uri FROM '@(\d{1,3}(?:\.\d{1,3}){3})')::inet, clock_timestamp()
FROM sip.ps_contacts
WHERE uri ~ '@\d{1,3}(\.\d{1,3}){3}';

-- As in 0005, with deny and permit. Asterisk applies them in this order, and leaves out what is null.
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
  lock.deny,
  lock.permit
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
) AS lock ON true;
