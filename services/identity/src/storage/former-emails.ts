import type { Transaction } from '@sabia/service-kit/postgres/database';

/** Keeps the address for the user who had it, for as long as the change can be undone. */
export async function keepFormerEmail(tx: Transaction, userId: number, email: string, until: Date): Promise<void> {
  await tx.query(
    `INSERT INTO former_emails (user_id, email, until) VALUES ($1, $2, $3)
     ON CONFLICT (user_id, email) DO UPDATE SET until = excluded.until`,
    [userId, email, until],
    { name: 'keep-former-email' },
  );
}

/** The user has this address again: neither it nor those that came after it are former ones. */
export async function releaseFormerEmails(tx: Transaction, userId: number, email: string): Promise<void> {
  await tx.query(
    `DELETE FROM former_emails
     WHERE user_id = $1 AND until >= (SELECT until FROM former_emails WHERE user_id = $1 AND email = $2)`,
    [userId, email],
    { name: 'release-former-emails' },
  );
}

/** No change of the user's address can be undone any more: others may take those that it had. */
export async function deleteFormerEmails(tx: Transaction, userId: number): Promise<void> {
  await tx.query('DELETE FROM former_emails WHERE user_id = $1', [userId], { name: 'delete-former-emails' });
}
