-- Calls from carriers to a number go to the account that it belongs to, because the operator says so: not to whoever was the first to show it.
CREATE TABLE numbers (
  -- E.164 digits.
  number text COLLATE "C" PRIMARY KEY CHECK (number ~ '^[1-9][0-9]{2,14}$'),
  account_id bigint NOT NULL,
  title text NOT NULL CHECK (title IN ('ASSIGNED', 'PROVEN', 'INHERITED')),
  note text NOT NULL,
  operator_name text NOT NULL,
  since timestamptz NOT NULL
);
CREATE INDEX numbers_of_account ON numbers (account_id);

-- What one account alone shows goes on. A number that several show was a matter of who came first: the operator has to say whose it is.
INSERT INTO numbers (number, account_id, title, note, operator_name, since)
SELECT bina, min(account_id), 'INHERITED', '', '', clock_timestamp()
FROM extensions WHERE bina ~ '^[1-9][0-9]{2,14}$'
GROUP BY bina HAVING count(DISTINCT account_id) = 1;
