-- The balance that each account was last told as an event. A table of its own: the rows of balances are changed by every call.
CREATE TABLE told_balances (
  account_id bigint PRIMARY KEY,
  balance numeric(18, 4) NOT NULL,
  reserved numeric(18, 4) NOT NULL
)
WITH (fillfactor = 50);

INSERT INTO told_balances (account_id, balance, reserved) SELECT account_id, balance, reserved FROM balances;
