CREATE TABLE charges (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  account_id bigint NOT NULL,
  user_id bigint NOT NULL,
  gateway text NOT NULL CHECK (gateway IN ('sandbox', 'asaas')),
  type text NOT NULL CHECK (type = 'CREDIT'),
  payment_method text NOT NULL CHECK (payment_method IN ('UNDEFINED', 'CREDIT_CARD', 'DEBIT_CARD', 'BOLETO', 'PIX')),
  -- Null until the payment provider has taken the charge; it is shown to nobody before.
  payment_id text,
  payment_code text,
  payment_link text,
  pix_code text,
  invoice_id text,
  invoice_link text,
  due_date date NOT NULL,
  amount numeric(18, 4) NOT NULL CHECK (amount > 5 AND amount < 50000 AND amount = round(amount, 2)),
  tax_amount numeric(18, 4) NOT NULL DEFAULT 0 CHECK (tax_amount >= 0),
  total_amount numeric(18, 4) NOT NULL,
  description text NOT NULL,
  status text NOT NULL CHECK (status IN ('PENDING', 'CONFIRMED', 'RECEIVED', 'OVERDUE', 'CANCELLED', 'REFUNDED')),
  status_updated_at timestamptz NOT NULL,
  created_at timestamptz NOT NULL,
  paid_at timestamptz,
  received_at timestamptz,
  refunded_at timestamptz,
  has_erp_invoice boolean NOT NULL DEFAULT false,
  -- json, not jsonb: sent back to the letter.
  metadata json NOT NULL,
  page_token text NOT NULL UNIQUE,
  -- What is still to be done at the payment provider, and when to try again.
  provider_task text CHECK (provider_task IN ('create', 'withdraw', 'refund')),
  provider_try_at timestamptz,
  CHECK (total_amount = amount + tax_amount),
  CHECK ((provider_task IS NULL) = (provider_try_at IS NULL))
);

-- One open charge per account, whatever runs at the same time.
CREATE UNIQUE INDEX charges_one_open ON charges (account_id) WHERE status IN ('PENDING', 'OVERDUE');
CREATE UNIQUE INDEX charges_payment ON charges (gateway, payment_id) WHERE payment_id IS NOT NULL;
CREATE INDEX charges_of_account ON charges (account_id, id DESC) WHERE payment_id IS NOT NULL;
CREATE INDEX charges_falling_due ON charges (due_date) WHERE status = 'PENDING';
CREATE INDEX charges_with_task ON charges (provider_try_at) WHERE provider_task IS NOT NULL;

-- Every notification of a payment provider, once, with what became of it.
CREATE TABLE payment_notifications (
  gateway text NOT NULL,
  notification_id text NOT NULL,
  payment_id text NOT NULL,
  event text NOT NULL,
  charge_id bigint,
  outcome text NOT NULL,
  received_at timestamptz NOT NULL,
  PRIMARY KEY (gateway, notification_id)
);
