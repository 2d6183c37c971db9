import type { Queryable } from '@sabia/service-kit/postgres/database';
import type { Purpose } from '../domain/one-time-token';

export interface Mail {
  id: number;
  uuid: string;
  template: Purpose;
  address: string;
  attempts: number;
  createdAt: Date;
}

/** A mail that already waits for an SMTP server to come back is not doubled: it will carry a fresh link anyway. */
export async function requestMail(
  db: Queryable,
  mail: { template: Purpose; address: string },
  now: Date,
): Promise<void> {
  await db.query(
    `INSERT INTO mails (template, address, next_attempt_at, created_at)
     SELECT $1::text, $2::text, $3, $3
     WHERE NOT EXISTS (
       SELECT FROM mails WHERE address = $2::text AND template = $1::text AND last_error IS NOT NULL
     )`,
    [mail.template, mail.address, now],
    { name: 'request-mail' },
  );
}

/** Claimed rows are due again at `leaseUntil`, should their worker not come back. */
export async function claimMails(db: Queryable, now: Date, leaseUntil: Date, limit: number): Promise<Mail[]> {
  return db.query<Mail>(
    `UPDATE mails SET next_attempt_at = $2, attempts = attempts + 1
     WHERE id IN (
       SELECT id FROM mails WHERE next_attempt_at <= $1 ORDER BY next_attempt_at LIMIT $3 FOR UPDATE SKIP LOCKED
     )
     RETURNING id, uuid, template, address, attempts, created_at AS "createdAt"`,
    [now, leaseUntil, limit],
    { name: 'claim-mails' },
  );
}

export async function renewLease(db: Queryable, id: number, leaseUntil: Date): Promise<void> {
  await db.query('UPDATE mails SET next_attempt_at = $2 WHERE id = $1', [id, leaseUntil], { name: 'renew-mail-lease' });
}

export async function deleteMail(db: Queryable, id: number): Promise<void> {
  await db.query('DELETE FROM mails WHERE id = $1', [id], { name: 'delete-mail' });
}

export async function postponeMail(db: Queryable, id: number, until: Date, reason: string): Promise<void> {
  await db.query('UPDATE mails SET next_attempt_at = $2, last_error = $3 WHERE id = $1', [id, until, reason], {
    name: 'postpone-mail',
  });
}
