-- Calls to numbers in which whoever answers keys in a code, which proves that the number is the account's.
CREATE TABLE number_proofs (
  -- Also the id of the call.
  id uuid PRIMARY KEY,
  account_id bigint NOT NULL,
  -- E.164 digits.
  number text COLLATE "C" NOT NULL,
  -- scrypt of the code, salted with the id; null once the proof is decided.
  code_hash bytea,
  tries integer NOT NULL DEFAULT 0,
  -- Null: not decided here. The call may have ended without a code all the same.
  outcome text CHECK (outcome IN ('PROVEN', 'WRONG_CODE', 'NUMBER_TAKEN', 'EXPIRED')),
  created_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL
);
CREATE INDEX number_proofs_of_number ON number_proofs (number, created_at);
CREATE INDEX number_proofs_of_account ON number_proofs (account_id, created_at);
