-- The money side of one call: what it holds while it lasts, and what it cost in the end. A call that ends without ever having held
-- anything gets its row then, so that this table says of every call whether it has been charged.
CREATE TABLE reservations (
  call_id uuid PRIMARY KEY,
  account_id bigint NOT NULL,
  destination text NOT NULL,
  state text NOT NULL CHECK (state IN ('open', 'released', 'expired', 'settled')),
  -- The tariff as it was when the call began.
  minute_price numeric(18, 4) NOT NULL CHECK (minute_price >= 0),
  minimum_seconds integer NOT NULL CHECK (minimum_seconds >= 0),
  increment_seconds integer NOT NULL CHECK (increment_seconds > 0),
  -- Held now, and the talking time that it pays for.
  amount numeric(18, 4) NOT NULL CHECK (amount >= 0),
  seconds integer NOT NULL CHECK (seconds >= 0),
  duration_seconds integer,
  billed_seconds integer,
  price numeric(18, 4),
  created_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL,
  closed_at timestamptz,
  CHECK (state = 'open' OR amount = 0),
  CHECK ((state = 'open') = (closed_at IS NULL)),
  CHECK ((state = 'settled') = (price IS NOT NULL AND billed_seconds IS NOT NULL AND duration_seconds IS NOT NULL))
)
WITH (fillfactor = 80);

CREATE INDEX reservations_open_by_expiry ON reservations (expires_at) WHERE state = 'open';
CREATE INDEX reservations_open_of_account ON reservations (account_id) WHERE state = 'open';
