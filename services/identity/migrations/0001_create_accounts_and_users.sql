CREATE TABLE accounts (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  uuid uuid NOT NULL DEFAULT gen_random_uuid(),
  domain text NOT NULL,
  name text NOT NULL,
  email text NOT NULL,
  phone text NOT NULL,
  crm text NOT NULL,
  user_quantity text NOT NULL,
  time_zone text NOT NULL,
  -- Null until the first user has followed the confirmation link.
  activated_at timestamptz,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  CONSTRAINT accounts_uuid_key UNIQUE (uuid),
  CONSTRAINT accounts_domain_key UNIQUE (domain),
  CONSTRAINT accounts_domain_lower_case CHECK (domain = lower(domain))
);

CREATE TABLE users (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  uuid uuid NOT NULL DEFAULT gen_random_uuid(),
  account_id bigint NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  name text NOT NULL,
  email text NOT NULL,
  phone text,
  role text NOT NULL,
  email_verified boolean NOT NULL,
  -- argon2id in PHC format, parameters included.
  password_hash text NOT NULL,
  last_login_at timestamptz,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  CONSTRAINT users_uuid_key UNIQUE (uuid),
  CONSTRAINT users_email_key UNIQUE (email),
  CONSTRAINT users_email_lower_case CHECK (email = lower(email)),
  CONSTRAINT users_role_known CHECK (role IN ('ADMIN', 'USER'))
);

CREATE INDEX users_account_id ON users (account_id, id);
