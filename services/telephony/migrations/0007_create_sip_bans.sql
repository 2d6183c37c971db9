-- Addresses that guessed passwords. Asterisk holds each ban in its memory and cannot list them, so what has to be written again
-- after its restart, and lifted after ours, stands here.
CREATE TABLE sip_bans (
  address inet PRIMARY KEY,
  banned_until timestamptz NOT NULL
);
