-- The switches (Asterisk nodes) of the voice plane. Telephony writes what it finds when it looks at each of them; the SIP edges read
-- from here where a call may go, and telephony's replicas on which node to place the next one.
CREATE TABLE sip.switches (
  name text COLLATE "C" PRIMARY KEY,
  -- An address, not a name: it is looked up anew in each round, because a node that was replaced comes back under another one.
  sip_host text NOT NULL,
  sip_port integer NOT NULL DEFAULT 5060,
  -- Calls that it may have at once.
  capacity integer NOT NULL CHECK (capacity >= 0),
  -- active: takes new calls. draining: keeps those it has and takes no new ones. gone: no replica of telephony reaches it.
  state text COLLATE "C" NOT NULL CHECK (state IN ('active', 'draining', 'gone')),
  -- An operator has asked that it takes no new calls; it holds until an operator takes it back.
  is_held boolean NOT NULL DEFAULT false,
  -- When it last responded.
  seen_at timestamptz,
  live_calls integer NOT NULL DEFAULT 0,
  updated_at timestamptz NOT NULL DEFAULT clock_timestamp()
) WITH (
  -- A few rows that are written every second or two.
  fillfactor = 50,
  autovacuum_vacuum_scale_factor = 0,
  autovacuum_vacuum_threshold = 500
);

GRANT SELECT, INSERT, UPDATE, DELETE ON sip.switches TO sabia_telephony;
