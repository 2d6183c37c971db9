-- Every import that an operator has applied to a deck. Rows only ever grow in number.
CREATE TABLE rate_imports (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  deck_id bigint NOT NULL REFERENCES rate_decks ON DELETE CASCADE,
  at timestamptz NOT NULL,
  operator_name text NOT NULL,
  sha256 text NOT NULL,
  lines integer NOT NULL,
  added integer NOT NULL,
  changed integer NOT NULL,
  ended integer NOT NULL
);
CREATE INDEX rate_imports_of_deck ON rate_imports (deck_id, id DESC);

-- Grants of operators have keys, too, and no charge.
ALTER TABLE idempotency_keys ALTER COLUMN charge_id DROP NOT NULL;
