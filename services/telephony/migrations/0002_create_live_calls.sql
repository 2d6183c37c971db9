-- What must be known of a call while it lasts, in one small row that goes when the call ends: whoever drives the switch, and
-- whoever takes over from it, finds everything here.
CREATE TABLE live_calls (
  call_id uuid PRIMARY KEY REFERENCES calls (id),
  account_id bigint NOT NULL,
  -- Which switch it is on; see switch_leases.
  switch text COLLATE "C" NOT NULL,
  -- The extension, at whose softphone the first leg is.
  ramal text COLLATE "C" NOT NULL,
  -- Names of the two legs on the switch, where they do not follow from the id of the call.
  a_channel text COLLATE "C",
  -- How many trunks have been tried before the present one.
  attempt smallint NOT NULL DEFAULT 0,
  -- When the switch was told to place it.
  placed_at timestamptz,
  -- Talking time that is paid for; null: nobody counts.
  granted_seconds integer,
  -- Ends the call, with this cause, as soon as the switch can be told.
  requested_cause text COLLATE "C",
  requested_at timestamptz,
  -- The next moment somebody has to look at it: ringing too long, credit to extend, time used up.
  due_at timestamptz NOT NULL
) WITH (
  fillfactor = 50,
  autovacuum_vacuum_scale_factor = 0,
  autovacuum_vacuum_threshold = 2000
);

CREATE INDEX live_calls_account_id ON live_calls (account_id);
CREATE INDEX live_calls_due_at ON live_calls (switch, due_at);
CREATE INDEX live_calls_unplaced ON live_calls (switch, call_id) WHERE placed_at IS NULL;
CREATE INDEX live_calls_requested ON live_calls (switch, requested_at) WHERE requested_at IS NOT NULL;

-- Which replica drives a switch, and with it every call on it. One at a time.
CREATE TABLE switch_leases (
  switch text COLLATE "C" PRIMARY KEY,
  holder uuid NOT NULL,
  expires_at timestamptz NOT NULL
);

-- What happened to a call beyond what its own row tells.
CREATE TABLE call_timeline (
  call_id uuid NOT NULL,
  entry bigint GENERATED ALWAYS AS IDENTITY,
  at timestamptz NOT NULL,
  kind text NOT NULL CHECK (kind IN ('request', 'leg', 'cause', 'credit', 'recording')),
  message text NOT NULL,
  detail jsonb,
  PRIMARY KEY (call_id, entry)
);
