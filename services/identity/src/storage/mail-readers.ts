import type { Language } from '@sabia/service-kit/brand/language';
import type { Transaction } from '@sabia/service-kit/postgres/database';
import type { Purpose } from '../domain/one-time-token';

/** The recipient of a mail with a link. */
export interface MailReader {
  id: number;
  name: string;
  domain: string;
  language: Language;
  accountActive: boolean;
  pendingEmail: string | null;
}

/** A password is reset only through a confirmed address; a confirmation goes to an unconfirmed one. */
const conditions: Record<Purpose, string> = {
  'confirm-email':
    '(u.pending_email = $1 OR (u.email = $1 AND NOT u.email_verified)) AND ($2::bigint IS NULL OR u.id = $2)',
  'reset-password': 'u.email = $1 AND u.email_verified AND ($2::bigint IS NULL OR u.id = $2)',
  'undo-email-change': '$1::text IS NOT NULL AND u.id = $2',
};

/**
 * Locks the user against changes while a link is created. Several users may wait for the confirmation of one address: without a user
 * id, the newest of them is used.
 */
export async function lockMailReader(
  tx: Transaction,
  purpose: Purpose,
  { address, userId }: { address: string; userId?: number | null },
): Promise<MailReader | undefined> {
  const [reader] = await tx.query<MailReader>(
    `SELECT u.id, u.name, u.pending_email AS "pendingEmail", a.domain, a.language, a.activated_at IS NOT NULL AS "accountActive"
     FROM users u JOIN accounts a ON a.id = u.account_id
     WHERE ${conditions[purpose]}
     ORDER BY u.id DESC
     LIMIT 1
     FOR UPDATE OF u`,
    [address, userId ?? null],
    { name: `lock-mail-reader-${purpose}` },
  );
  return reader;
}
