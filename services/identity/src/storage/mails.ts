import type { Queryable, Transaction } from '@sabia/service-kit/postgres/database';
import type { DisabledWebhook } from '../domain/disabled-webhook';
import type { Purpose } from '../domain/one-time-token';

/**
 * Without a user id the recipient is the user who has the address or waits for its confirmation. With one, the address is a current,
 * former or requested one of this user.
 */
export type MailRequest =
  | { template: 'confirm-email' | 'reset-password'; address: string; userId?: number }
  | { template: 'email-change-requested' | 'email-changed' | 'email-changed-by-admin'; address: string; userId: number }
  | { template: 'webhook-disabled'; address: string; userId: number; details: DisabledWebhook };

/** The purpose of the link in a mail, for templates with a link. */
export const purposeOf: Partial<Record<MailRequest['template'], Purpose>> = {
  'confirm-email': 'confirm-email',
  'reset-password': 'reset-password',
  'email-change-requested': 'undo-email-change',
  'email-changed': 'undo-email-change',
};

export const templatesOf = (purpose: Purpose): string[] =>
  Object.entries(purposeOf).flatMap(([template, of]) => (of === purpose ? [template] : []));

export type Mail = MailRequest & {
  id: number;
  uuid: string;
  attempts: number;
  createdAt: Date;
};

/** Does not add a second mail while one waits for the SMTP server: that one gets a new link when it is sent. */
export async function requestMail(db: Queryable, mail: MailRequest, now: Date): Promise<void> {
  await db.query(
    `INSERT INTO mails (template, address, user_id, details, next_attempt_at, created_at)
     SELECT $1::text, $2::text, $4::bigint, $5::jsonb, $3, $3
     WHERE NOT EXISTS (
       SELECT FROM mails
       WHERE address = $2::text AND template = $1::text AND ($4::bigint IS NULL OR user_id = $4)
         AND details IS NOT DISTINCT FROM $5::jsonb AND last_error IS NOT NULL
     )`,
    [mail.template, mail.address, now, mail.userId ?? null, 'details' in mail ? JSON.stringify(mail.details) : null],
    { name: 'request-mail' },
  );
}

/** Withdraws unsent mails to the user with a link of this purpose. */
export async function withdrawMails(tx: Transaction, userId: number, purpose: Purpose): Promise<void> {
  await tx.query(
    'DELETE FROM mails WHERE user_id = $1 AND template = ANY ($2::text[])',
    [userId, templatesOf(purpose)],
    {
      name: 'withdraw-mails',
    },
  );
}

/** False if the mail was withdrawn after a worker had claimed it. */
export async function isStillWanted(tx: Transaction, mailId: number): Promise<boolean> {
  const rows = await tx.query('SELECT id FROM mails WHERE id = $1', [mailId], { name: 'find-wanted-mail' });
  return rows.length === 1;
}

/** Claimed rows are due again at `leaseUntil` if their worker dies. */
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
