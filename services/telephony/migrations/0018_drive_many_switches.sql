-- Null: the call waits in line until a switch has room for it.
ALTER TABLE live_calls ALTER COLUMN switch DROP NOT NULL;
CREATE INDEX live_calls_waiting ON live_calls (call_id) WHERE switch IS NULL;

-- Grows with each change of the holder. A statement that names an older term than the lease has comes from a replica that lost it.
CREATE SEQUENCE switch_lease_terms;
ALTER TABLE switch_leases ADD COLUMN term bigint NOT NULL DEFAULT nextval('switch_lease_terms');

-- The replicas of this service that run, so that each takes its share of the switches.
CREATE TABLE replicas (
  id uuid PRIMARY KEY,
  seen_at timestamptz NOT NULL
) WITH (fillfactor = 50);

-- Tasks that exactly one switch has, as the registration with carriers. The one that has it renews it in time.
CREATE TABLE switch_offices (
  office text COLLATE "C" PRIMARY KEY,
  switch text COLLATE "C" NOT NULL,
  expires_at timestamptz NOT NULL
) WITH (fillfactor = 50);
