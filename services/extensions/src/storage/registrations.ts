import type { Queryable } from '@sabia/service-kit/postgres/database';

export interface SipUser {
  domain: string;
  ramal: string;
}

const sipIdOf = ({ ramal, domain }: SipUser): string => `${ramal}@${domain}`;

/** Marks the extension as registered. Ignores events that are older than the known state, and deleted extensions. */
export async function markRegistered(db: Queryable, user: SipUser, at: Date): Promise<void> {
  await db.query(
    `UPDATE extensions SET registered = true, registered_at = $2, registration_changed_at = $2
     WHERE sip_id = $1 AND registration_changed_at <= $2`,
    [sipIdOf(user), at],
    { name: 'mark-registered' },
  );
}

export async function markUnregistered(db: Queryable, user: SipUser, at: Date): Promise<void> {
  await db.query(
    `UPDATE extensions SET registered = false, registration_changed_at = $2
     WHERE sip_id = $1 AND registration_changed_at <= $2`,
    [sipIdOf(user), at],
    { name: 'mark-unregistered' },
  );
}

/**
 * A newer softphone has replaced an older one, so the extension is registered. The time is not changed: the registration of the newer
 * softphone may arrive later and must not count as outdated.
 */
export async function markDisplaced(db: Queryable, user: SipUser, at: Date): Promise<void> {
  await db.query(
    `UPDATE extensions SET registered = true, registered_at = $2
     WHERE sip_id = $1 AND registration_changed_at <= $2 AND (NOT registered OR registered_at < $2)`,
    [sipIdOf(user), at],
    { name: 'mark-displaced' },
  );
}
