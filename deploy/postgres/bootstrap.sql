-- Creates the roles and schemas of the five services in the connected database. Run by an administrator; can be repeated.
--
-- Each {{<service>_password}} is replaced by the password before the file is run, with every ' in it doubled: the quotes stand here.
-- A role owns the schema of its service; nothing in it is granted to any other role, so no service reads another's tables. The one
-- exception is the schema sip, in which extensions, telephony and Asterisk meet; docs/architecture.md lists who may do what there.

DO $bootstrap$
DECLARE
  service record;
  role_name text;
BEGIN
  -- Two runs at once would race on the catalogues.
  PERFORM pg_advisory_xact_lock(hashtextextended('sabia bootstrap', 0));

  FOR service IN
    SELECT * FROM (
      VALUES
        ('identity', '{{identity_password}}'),
        ('extensions', '{{extensions_password}}'),
        ('telephony', '{{telephony_password}}'),
        ('billing', '{{billing_password}}'),
        ('webhook', '{{webhook_password}}')
    ) AS services (name, password)
  LOOP
    role_name := 'sabia_' || service.name;

    -- Roles belong to the whole server, so another database's bootstrap may create one between our look and our CREATE.
    IF NOT EXISTS (SELECT 1 FROM pg_roles WHERE rolname = role_name) THEN
      BEGIN
        EXECUTE format('CREATE ROLE %I', role_name);
      EXCEPTION
        WHEN duplicate_object OR unique_violation THEN NULL;
      END;
    END IF;

    EXECUTE format('ALTER ROLE %I WITH LOGIN NOCREATEDB NOCREATEROLE PASSWORD %L', role_name, service.password);
    EXECUTE format('ALTER ROLE %I SET search_path = %I', role_name, service.name);

    -- An administrator who is no superuser (managed PostgreSQL) may give a schema only to a role it is a member of.
    IF NOT (SELECT rolsuper FROM pg_roles WHERE rolname = current_user) THEN
      EXECUTE format('GRANT %I TO CURRENT_USER', role_name);
    END IF;

    EXECUTE format('GRANT CONNECT ON DATABASE %I TO %I', current_database(), role_name);
    EXECUTE format('CREATE SCHEMA IF NOT EXISTS %I AUTHORIZATION %I', service.name, role_name);
    EXECUTE format('REVOKE ALL ON SCHEMA %I FROM PUBLIC', service.name);
  END LOOP;

  EXECUTE format('REVOKE ALL ON DATABASE %I FROM PUBLIC', current_database());
  REVOKE ALL ON SCHEMA public FROM PUBLIC;

  -- Asterisk (sabia_asterisk) reads the views that the extensions service makes in schema sip; a SIP edge (sabia_edge) reads views there
  -- and calls functions. They see nothing else. The roles have no password here, so they cannot be used to log in until the operator
  -- gives them one.
  FOREACH role_name IN ARRAY ARRAY['sabia_asterisk', 'sabia_edge'] LOOP
    IF NOT EXISTS (SELECT 1 FROM pg_roles WHERE rolname = role_name) THEN
      BEGIN
        EXECUTE format('CREATE ROLE %I LOGIN NOCREATEDB NOCREATEROLE', role_name);
      EXCEPTION
        WHEN duplicate_object OR unique_violation THEN NULL;
      END;
    END IF;
    EXECUTE format('ALTER ROLE %I SET search_path = sip', role_name);
    EXECUTE format('GRANT CONNECT ON DATABASE %I TO %I', current_database(), role_name);
  END LOOP;
  ALTER ROLE sabia_asterisk RESET default_transaction_read_only;
  CREATE SCHEMA IF NOT EXISTS sip AUTHORIZATION sabia_extensions;
  REVOKE ALL ON SCHEMA sip FROM PUBLIC;
  GRANT USAGE ON SCHEMA sip TO sabia_asterisk, sabia_edge;

  GRANT USAGE ON SCHEMA sip TO sabia_telephony;
  -- Where each softphone is that registered with an Asterisk of the release before; sip.contacts has taken its place.
  CREATE TABLE IF NOT EXISTS sip.ps_contacts (
    id text COLLATE "C" PRIMARY KEY,
    endpoint text COLLATE "C" NOT NULL,
    -- Asterisk writes ^3B for a semicolon in a URI.
    uri text NOT NULL,
    expiration_time bigint NOT NULL,
    reg_server text, user_agent text, call_id text, via_addr text, via_port text, path text, outbound_proxy text,
    prune_on_boot text, qualify_frequency text, qualify_timeout text, qualify_2xx_only text, authenticate_qualify text
  ) WITH (fillfactor = 70);
  CREATE INDEX IF NOT EXISTS ps_contacts_endpoint ON sip.ps_contacts (endpoint);
  GRANT SELECT, INSERT, UPDATE, DELETE ON sip.ps_contacts TO sabia_asterisk;
  GRANT SELECT, DELETE ON sip.ps_contacts TO sabia_telephony;
  GRANT SELECT ON sip.ps_contacts TO sabia_extensions;

  -- What came and went, in order, written in the transaction of the change itself: telephony takes the rows away as it
  -- publishes them, so each is published once, also after an outage.
  CREATE TABLE IF NOT EXISTS sip.contact_changes (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    happened_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    change text NOT NULL CHECK (change IN ('added', 'removed')),
    endpoint text COLLATE "C" NOT NULL,
    uri text NOT NULL,
    user_agent text,
    -- Whether the endpoint had another softphone at that moment.
    others boolean NOT NULL
  );
  -- Through triggers: edges by functions of extensions, telephony when it removes a softphone, an Asterisk of the release before.
  GRANT INSERT ON sip.contact_changes TO sabia_asterisk, sabia_telephony, sabia_extensions;
  GRANT SELECT, DELETE ON sip.contact_changes TO sabia_telephony;

  CREATE OR REPLACE FUNCTION sip.note_contact_change() RETURNS trigger
  LANGUAGE plpgsql SET search_path = sip AS $note$
  DECLARE
    contact sip.ps_contacts%ROWTYPE;
  BEGIN
    contact := CASE TG_OP WHEN 'INSERT' THEN NEW ELSE OLD END;
    INSERT INTO sip.contact_changes (change, endpoint, uri, user_agent, others)
    SELECT CASE TG_OP WHEN 'INSERT' THEN 'added' ELSE 'removed' END, contact.endpoint, contact.uri, contact.user_agent,
      EXISTS (SELECT FROM sip.ps_contacts WHERE endpoint = contact.endpoint AND id <> contact.id);
    RETURN NULL;
  END
  $note$;
  CREATE OR REPLACE TRIGGER ps_contacts_note_change AFTER INSERT OR DELETE ON sip.ps_contacts
  FOR EACH ROW EXECUTE FUNCTION sip.note_contact_change();
END
$bootstrap$;
