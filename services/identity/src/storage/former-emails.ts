import type { Transaction } from '@sabia/service-kit/postgres/database';

/** Reserves the address for its former user while the change can be undone. */
export async function keepFormerEmail(tx: Transaction, userId: number, email: string, until: Date): Promise<void> {
  await tx.query(
    `INSERT INTO former_emails (user_id, email, until) VALUES ($1, $2, $3)
     ON CONFLICT (user_id, email) DO UPDATE SET until = excluded.until`,
    [userId, email, until],
    { name: 'keep-former-email' },
  );
}

/** Releases the address that the user has again, and those of later changes. */
export async function releaseFormerEmails(tx: Transaction, userId: number, email: string): Promise<void> {
  await tx.query(
    `DELETE FROM former_emails
     WHERE user_id = $1 AND until >= (SELECT until FROM former_emails WHERE user_id = $1 AND email = $2)`,
    [userId, email],
    { name: 'release-former-emails' },
  );
}

/** Releases all former addresses of a user whose changes can no longer be undone. */
export async function deleteFormerEmails(tx: Transaction, userId: number): Promise<void> {
  await tx.query('DELETE FROM former_emails WHERE user_id = $1', [userId], { name: 'delete-former-emails' });
}
