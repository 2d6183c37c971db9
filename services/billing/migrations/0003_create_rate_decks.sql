CREATE TABLE rate_decks (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name text NOT NULL UNIQUE CHECK (name <> ''),
  -- Moves with every change of the deck's rates; whoever holds the deck in memory compares it.
  version bigint NOT NULL DEFAULT 1,
  updated_at timestamptz NOT NULL DEFAULT now()
);

-- A prefix may have several rates, one after the other in time; of those that hold at a moment the newest counts.
CREATE TABLE rates (
  deck_id bigint NOT NULL REFERENCES rate_decks ON DELETE CASCADE,
  prefix text NOT NULL CHECK (prefix ~ '^[1-9][0-9]{0,14}$'),
  valid_from timestamptz NOT NULL,
  valid_to timestamptz,
  minute_price numeric(18, 4) NOT NULL CHECK (minute_price >= 0),
  minimum_seconds integer NOT NULL CHECK (minimum_seconds >= 0),
  increment_seconds integer NOT NULL CHECK (increment_seconds > 0),
  description text NOT NULL,
  PRIMARY KEY (deck_id, prefix, valid_from),
  CHECK (valid_to > valid_from)
);

-- Accounts that have a deck of their own, asked before the one named "default".
CREATE TABLE account_rate_decks (
  account_id bigint PRIMARY KEY,
  deck_id bigint NOT NULL REFERENCES rate_decks
);

-- One row: moves with every change of any deck or assignment, so that looking for news is reading one number.
CREATE TABLE rates_version (
  singleton boolean PRIMARY KEY DEFAULT true CHECK (singleton),
  version bigint NOT NULL
);
INSERT INTO rates_version (version) VALUES (1);

-- Where an import lays out a file to compare it with the deck; emptied before the import ends. A temporary table would do, but
-- the role may not make any.
CREATE UNLOGGED TABLE staged_rates (
  import_id uuid NOT NULL,
  line integer NOT NULL,
  prefix text NOT NULL,
  valid_from timestamptz NOT NULL,
  valid_to timestamptz,
  minute_price numeric(18, 4) NOT NULL,
  minimum_seconds integer NOT NULL,
  increment_seconds integer NOT NULL,
  description text NOT NULL,
  -- Whether the file itself says from when on it holds.
  dated boolean NOT NULL
);
CREATE INDEX staged_rates_prefix ON staged_rates (import_id, prefix);
