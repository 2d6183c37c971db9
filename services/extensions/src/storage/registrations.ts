import type { Queryable } from '@sabia/service-kit/postgres/database';

export interface SipUser {
  domain: string;
  ramal: string;
}

const sipIdOf = ({ ramal, domain }: SipUser): string => `${ramal}@${domain}`;

/** A softphone is there. News that are older than what is known change nothing, nor do news of an extension that has gone. */
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
 * A newer softphone has taken the place of an older one, so there is one. Which one is told by the registration of the newer,
 * which may still be on its way: this must not make it old news.
 */
export async function markDisplaced(db: Queryable, user: SipUser, at: Date): Promise<void> {
  await db.query(
    `UPDATE extensions SET registered = true, registered_at = $2
     WHERE sip_id = $1 AND registration_changed_at <= $2 AND (NOT registered OR registered_at < $2)`,
    [sipIdOf(user), at],
    { name: 'mark-displaced' },
  );
}
