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
