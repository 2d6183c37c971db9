-- One row per call, for ever. What only matters while it lasts is in live_calls.
CREATE TABLE calls (
  -- Version 7: the order of ids is the order in which the calls began, so that every index below also gives "newest first".
  id uuid PRIMARY KEY,
  -- What POST /dialer answered.
  dial_id uuid,
  account_id bigint NOT NULL,
  -- Who placed it; 0 for calls that no user of the API placed.
  user_id bigint NOT NULL,
  domain text COLLATE "C" NOT NULL,
  -- Of the account at the time: what webhooks show times in.
  time_zone text NOT NULL,
  call_type text COLLATE "C" NOT NULL CHECK (call_type IN ('outbound', 'inbound', 'internal')),
  status text COLLATE "C" NOT NULL CHECK (status IN ('queued', 'ringing', 'answered', 'ended')),
  from_number text COLLATE "C" NOT NULL,
  to_number text COLLATE "C" NOT NULL,
  started_at timestamptz NOT NULL,
  answered_at timestamptz,
  ended_at timestamptz,
  -- Seconds from answer to end; null while the call lasts.
  duration integer,
  hangup_cause text COLLATE "C",
  hangup_cause_code text COLLATE "C",
  email text NOT NULL,
  first_name text NOT NULL,
  last_name text NOT NULL,
  bina text COLLATE "C",
  -- Told by billing, in reais.
  minute_price numeric(14, 4),
  call_price numeric(14, 4),
  billed_seconds integer,
  -- json, not jsonb: it keeps the text to the letter.
  metadata json NOT NULL,
  record boolean NOT NULL,
  record_url text,
  CONSTRAINT calls_end_is_whole CHECK ((status = 'ended') = (ended_at IS NOT NULL AND hangup_cause IS NOT NULL AND hangup_cause_code IS NOT NULL AND duration IS NOT NULL)),
  CONSTRAINT calls_answer_has_a_time CHECK (status <> 'answered' OR answered_at IS NOT NULL)
) WITH (fillfactor = 85);

-- One for each field that a filter may name. What is filled in at the end or later is indexed from then on only.
CREATE INDEX calls_newest ON calls (account_id, id);
CREATE INDEX calls_started_at ON calls (account_id, started_at, id);
CREATE INDEX calls_ended_at ON calls (account_id, ended_at, id);
CREATE INDEX calls_answered_at ON calls (account_id, answered_at, id) WHERE answered_at IS NOT NULL;
CREATE INDEX calls_from_number ON calls (account_id, from_number, id);
CREATE INDEX calls_to_number ON calls (account_id, to_number, id);
CREATE INDEX calls_first_name ON calls (account_id, first_name, id);
CREATE INDEX calls_last_name ON calls (account_id, last_name, id);
CREATE INDEX calls_email ON calls (account_id, email, id);
CREATE INDEX calls_bina ON calls (account_id, bina, id);
CREATE INDEX calls_call_type ON calls (account_id, call_type, id);
CREATE INDEX calls_hangup_cause ON calls (account_id, hangup_cause, id);
CREATE INDEX calls_duration ON calls (account_id, duration, id) WHERE duration IS NOT NULL;
CREATE INDEX calls_minute_price ON calls (account_id, minute_price, id) WHERE minute_price IS NOT NULL;
CREATE INDEX calls_call_price ON calls (account_id, call_price, id) WHERE call_price IS NOT NULL;
CREATE INDEX calls_live_status ON calls (account_id, status, id) WHERE status <> 'ended';
CREATE INDEX calls_metadata ON calls USING gin ((metadata::jsonb) jsonb_path_ops);
CREATE UNIQUE INDEX calls_dial_id_key ON calls (dial_id) WHERE dial_id IS NOT NULL;

-- How many calls an account has, so that the total of a list without a filter costs nothing. Several rows per account: two
-- replicas that place calls of one account at once do not wait for each other.
CREATE TABLE call_counters (
  account_id bigint NOT NULL,
  shard smallint NOT NULL,
  total bigint NOT NULL,
  PRIMARY KEY (account_id, shard)
) WITH (fillfactor = 50);
