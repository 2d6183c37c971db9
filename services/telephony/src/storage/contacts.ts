import type { Queryable } from '@sabia/service-kit/postgres/database';

// sip.ps_contacts: the registered softphones, as Asterisk writes them. sip.contact_changes: what a trigger there has noted.

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
    'SELECT FROM sip.ps_contacts WHERE endpoint = $1 AND expiration_time > extract(epoch FROM now()) LIMIT 1',
    [endpoint],
    { name: 'is-registered' },
  );
  return rows.length > 0;
}

export interface Contact {
  uri: string;
  userAgent: string | null;
  expiresAt: Date;
}

/** The softphone that registered last, if its registration is in force. */
export async function findContact(queryable: Queryable, endpoint: string): Promise<Contact | undefined> {
  const [contact] = await queryable.query<Contact>(
    `SELECT uri, user_agent AS "userAgent", to_timestamp(expiration_time) AS "expiresAt"
     FROM sip.ps_contacts WHERE endpoint = $1 AND expiration_time > extract(epoch FROM now())
     ORDER BY expiration_time DESC LIMIT 1`,
    [endpoint],
    { name: 'find-contact' },
  );
  return contact;
}

export async function listContactIds(queryable: Queryable, endpoint: string): Promise<string[]> {
  const contacts = await queryable.query<{ id: string }>('SELECT id FROM sip.ps_contacts WHERE endpoint = $1', [
    endpoint,
  ]);
  return contacts.map(({ id }) => id);
}

export async function deleteExpiredContacts(queryable: Queryable, expiredSeconds: number): Promise<void> {
  await queryable.query('DELETE FROM sip.ps_contacts WHERE expiration_time < extract(epoch FROM now()) - $1::int', [
    expiredSeconds,
  ]);
}
