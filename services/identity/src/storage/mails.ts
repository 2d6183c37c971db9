import type { Queryable } from '@sabia/service-kit/postgres/database';
import type { DisabledWebhook } from '../domain/disabled-webhook';
import type { Purpose } from '../domain/one-time-token';

/** Purposes come with a link, to whoever has the address; a notice goes to the address that a user has or had. */
export type MailRequest =
  | { template: Purpose; address: string }
  | { template: 'email-changed'; address: string; userId: number }
  | { template: 'webhook-disabled'; address: string; userId: number; details: DisabledWebhook };

export type Mail = MailRequest & {
  id: number;
  uuid: string;
  attempts: number;
  createdAt: Date;
};

/** A mail that already waits for an SMTP server to come back is not doubled: it will carry a fresh link anyway. */
export async function requestMail(db: Queryable, mail: MailRequest, now: Date): Promise<void> {
  await db.query(
    `INSERT INTO mails (template, address, user_id, details, next_attempt_at, created_at)
     SELECT $1::text, $2::text, $4::bigint, $5::jsonb, $3, $3
     WHERE NOT EXISTS (
       SELECT FROM mails
       WHERE address = $2::text AND template = $1::text AND user_id IS NOT DISTINCT FROM $4::bigint
         AND details IS NOT DISTINCT FROM $5::jsonb AND last_error IS NOT NULL
     )`,
    [
      mail.template,
      mail.address,
      now,
      'userId' in mail ? mail.userId : null,
      'details' in mail ? JSON.stringify(mail.details) : null,
    ],
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
     RETURNING id, uuid, template, address, user_id AS "userId", details, attempts, created_at AS "createdAt"`,
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
