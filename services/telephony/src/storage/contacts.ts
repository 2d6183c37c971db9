import type { Queryable } from '@sabia/service-kit/postgres/database';

// sip.contacts: the registered softphones, as the SIP edges write them. sip.contact_changes: what a trigger there has noted.

/** A softphone has registered, or its registration has ended. */
export interface ContactChange {
  id: number;
  happened_at: Date;
  change: 'added' | 'removed';
  /** ramal@domain */
  endpoint: string;
  uri: string;
  user_agent: string | null;
  /** The extension has another softphone. */
  others: boolean;
}

/** Cheap, so that it can be asked several times a second. */
export async function hasContactChanges(queryable: Queryable): Promise<boolean> {
  const rows = await queryable.query('SELECT FROM sip.contact_changes LIMIT 1', [], { name: 'pending-changes' });
  return rows.length > 0;
}

/** One transaction at a time, in whichever replica: so the order of the changes is the order of the events. */
export async function lockContactChanges(queryable: Queryable): Promise<boolean> {
  const [lock] = await queryable.query<{ mine: boolean }>(
    `SELECT pg_try_advisory_xact_lock(hashtextextended('sip.contact_changes', 0)) AS mine`,
  );
  return lock?.mine ?? false;
}

/** Removes the oldest changes and returns them in order. */
export async function takeContactChanges(queryable: Queryable, limit: number): Promise<ContactChange[]> {
  return queryable.query<ContactChange>(
    `WITH taken AS (
       DELETE FROM sip.contact_changes WHERE id IN (SELECT id FROM sip.contact_changes ORDER BY id LIMIT $1)
       RETURNING id, happened_at, change, endpoint, uri, user_agent, others
     )
     SELECT id, happened_at, change, endpoint, uri, user_agent, others FROM taken ORDER BY id`,
    [limit],
  );
}

export async function hasContact(queryable: Queryable, endpoint: string): Promise<boolean> {
  const rows = await queryable.query(
    'SELECT FROM sip.contacts WHERE endpoint = $1 AND expires_at > clock_timestamp() LIMIT 1',
    [endpoint],
    { name: 'is-registered' },
  );
  return rows.length > 0;
}

export interface Contact {
  /** udp, tcp, tls, ws or wss */
  transport: string;
  source: string;
  userAgent: string | null;
  expiresAt: Date;
}

/** The softphone that registered last, if its registration is in force. */
export async function findContact(queryable: Queryable, endpoint: string): Promise<Contact | undefined> {
  const [contact] = await queryable.query<Contact>(
    `SELECT transport, host(source) AS source, user_agent AS "userAgent", expires_at AS "expiresAt"
     FROM sip.contacts WHERE endpoint = $1 AND expires_at > clock_timestamp()
     ORDER BY expires_at DESC LIMIT 1`,
    [endpoint],
    { name: 'find-contact' },
  );
  return contact;
}

/** Takes effect at once: nodes look up where a softphone is for every call. */
export async function deleteContacts(queryable: Queryable, endpoint: string): Promise<void> {
  await queryable.query('DELETE FROM sip.contacts WHERE endpoint = $1', [endpoint]);
}

/** What is being renewed at this moment stays: PostgreSQL looks at the time again once it has the row. */
export async function deleteExpiredContacts(queryable: Queryable): Promise<void> {
  await queryable.query('DELETE FROM sip.contacts WHERE expires_at <= clock_timestamp()', [], {
    name: 'delete-expired-contacts',
  });
}
