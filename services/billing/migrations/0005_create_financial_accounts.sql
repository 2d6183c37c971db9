-- What identity has told of an account; shown in the financial account where that says nothing itself.
CREATE TABLE account_profiles (
  account_id bigint PRIMARY KEY,
  name text NOT NULL,
  email text NOT NULL,
  phone text NOT NULL,
  -- Of the event it comes from: an older one that arrives late changes nothing.
  told_at timestamptz NOT NULL
);

CREATE TABLE financial_accounts (
  account_id bigint PRIMARY KEY,
  status text NOT NULL CHECK (status IN ('PENDING', 'ACTIVE')),
  cpf_cnpj text NOT NULL CHECK (cpf_cnpj ~ '^([0-9]{11}|[0-9A-Z]{12}[0-9]{2})$'),
  person_type text NOT NULL CHECK (person_type IN ('FISICA', 'JURIDICA')),
  gateway text NOT NULL,
  customer_id text,
  company text,
  name text,
  email text,
  phone text,
  mobile_phone text,
  address text,
  address_number text,
  address_complement text,
  address_province text,
  address_district text,
  address_city text,
  address_state text,
  address_country text,
  address_zip_code text,
  additional_emails text,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  -- When to tell the payment provider of it; null when it knows.
  provider_try_at timestamptz,
  CHECK ((status = 'ACTIVE') = (customer_id IS NOT NULL))
);

CREATE INDEX financial_accounts_untold ON financial_accounts (provider_try_at) WHERE provider_try_at IS NOT NULL;
