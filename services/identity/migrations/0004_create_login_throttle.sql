CREATE TABLE login_throttle (
  -- SHA-256 of the e-mail or the client address.
  key bytea PRIMARY KEY,
  failure_limit integer NOT NULL,
  failures integer NOT NULL,
  -- Attempts whose password is being checked right now.
  pending integer NOT NULL,
  window_ends_at timestamptz NOT NULL
);

CREATE INDEX login_throttle_window_ends_at ON login_throttle (window_ends_at);
