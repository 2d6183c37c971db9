-- Those who may use the operator's API. A row stays after its token was ended: the audit log refers to it.
CREATE TABLE operators (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  uuid uuid NOT NULL DEFAULT gen_random_uuid() CONSTRAINT operators_uuid_key UNIQUE,
  name text NOT NULL CHECK (name <> ''),
  -- SHA-256; the token itself is kept nowhere.
  token_hash bytea NOT NULL CONSTRAINT operators_token_hash_key UNIQUE,
  token_prefix text NOT NULL,
  -- Its token is in the configuration of the deployment, and works only while it is there.
  configured boolean NOT NULL DEFAULT false,
  created_at timestamptz NOT NULL,
  revoked_at timestamptz
);
CREATE UNIQUE INDEX operators_live_name ON operators (lower(name)) WHERE revoked_at IS NULL;
CREATE UNIQUE INDEX operators_configured ON operators (configured) WHERE configured;

-- The audit log: one row for every request of an operator, written before it is carried out, and one for what became of it. Both
-- tables only ever grow.
CREATE TABLE operator_acts (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  at timestamptz NOT NULL,
  operator_uuid uuid NOT NULL REFERENCES operators (uuid),
  operator_name text NOT NULL,
  act text NOT NULL CHECK (act <> ''),
  method text NOT NULL,
  path text NOT NULL,
  account_id bigint,
  request json NOT NULL,
  client_ip text NOT NULL,
  request_id text NOT NULL
);
CREATE INDEX operator_acts_account ON operator_acts (account_id, id DESC) WHERE account_id IS NOT NULL;
CREATE INDEX operator_acts_operator ON operator_acts (operator_uuid, id DESC);

CREATE TABLE operator_act_outcomes (
  act_id bigint PRIMARY KEY REFERENCES operator_acts (id),
  status integer NOT NULL,
  error_code text,
  ended_at timestamptz NOT NULL
);

CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION '% is append-only', TG_TABLE_NAME USING ERRCODE = 'insufficient_privilege';
END
$$;

CREATE TRIGGER operator_acts_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON operator_acts
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER operator_act_outcomes_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON operator_act_outcomes
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER operators_stay BEFORE DELETE OR TRUNCATE ON operators FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
