import type { Queryable, Transaction } from '@sabia/service-kit/postgres/database';
import type { OneTimeToken, Purpose } from '../domain/one-time-token';

export interface StoredOneTimeToken {
  userId: number;
  /** The address to which the link was sent. */
  email: string;
  createdAt: Date;
  expiresAt: Date;
  usedAt: Date | null;
}

export async function insertOneTimeToken(
  tx: Transaction,
  token: OneTimeToken,
  owner: { id: number; email: string },
  mailId: number,
): Promise<void> {
  await tx.query(
    `INSERT INTO one_time_tokens (token_hash, purpose, user_id, email, created_at, expires_at, mail_id)
     VALUES ($1, $2, $3, $4, $5, $6, $7)`,
    [token.hash, token.purpose, owner.id, owner.email, token.createdAt, token.expiresAt, mailId],
    { name: 'insert-one-time-token' },
  );
}

/**
 * Counts mails, not tries: those sent with a link since the time, and those that wait for a retry. A mail without a user counts as the
 * user's own.
 */
export async function countRequestedLinks(
  tx: Transaction,
  wanted: { address: string; userId: number; purpose: Purpose; templates: string[] },
  since: Date,
): Promise<{ ofUser: number; ofAddress: number }> {
  const [row] = await tx.query<{ ofUser: number; ofAddress: number }>(
    `SELECT count(DISTINCT mail_id) FILTER (WHERE coalesce(user_id, $5) = $5)::int AS "ofUser",
            count(DISTINCT mail_id)::int AS "ofAddress"
     FROM (
       SELECT mail_id, user_id FROM one_time_tokens WHERE email = $1 AND purpose = $2 AND created_at > $4
       UNION
       SELECT id, user_id FROM mails WHERE address = $1 AND template = ANY ($3::text[]) AND last_error IS NOT NULL
     ) AS requested (mail_id, user_id)`,
    [wanted.address, wanted.purpose, wanted.templates, since, wanted.userId],
    { name: 'count-requested-links' },
  );
  return row!;
}

export async function findOneTimeToken(
  db: Queryable,
  hash: Buffer,
  purpose: Purpose,
): Promise<StoredOneTimeToken | undefined> {
  const [token] = await db.query<StoredOneTimeToken>(
    `SELECT user_id AS "userId", email, created_at AS "createdAt", expires_at AS "expiresAt", used_at AS "usedAt"
     FROM one_time_tokens WHERE token_hash = $1 AND purpose = $2`,
    [hash, purpose],
    { name: 'find-one-time-token' },
  );
  return token;
}

/** Of several concurrent uses, one succeeds. */
export async function useOneTimeToken(tx: Transaction, hash: Buffer, purpose: Purpose, now: Date): Promise<boolean> {
  const rows = await tx.query(
    `UPDATE one_time_tokens SET used_at = $3
     WHERE token_hash = $1 AND purpose = $2 AND used_at IS NULL AND expires_at > $3
     RETURNING user_id`,
    [hash, purpose, now],
    { name: 'use-one-time-token' },
  );
  return rows.length === 1;
}

/** Voids unused links after one of the same purpose was used, or after the user's address has changed. */
export async function voidOneTimeTokens(tx: Transaction, userId: number, purpose: Purpose): Promise<void> {
  await tx.query(
    'DELETE FROM one_time_tokens WHERE user_id = $1 AND purpose = $2 AND used_at IS NULL',
    [userId, purpose],
    { name: 'void-one-time-tokens' },
  );
}

/**
 * Undoing a change voids its undo links and those of later changes, because their recipients may be the intruders. Links of earlier
 * changes stay valid.
 */
export async function voidLaterUndoLinks(
  tx: Transaction,
  userId: number,
  used: { email: string; createdAt: Date },
): Promise<void> {
  await tx.query(
    `DELETE FROM one_time_tokens
     WHERE user_id = $1 AND purpose = 'undo-email-change' AND used_at IS NULL AND (created_at >= $2 OR email = $3)`,
    [userId, used.createdAt, used.email],
    { name: 'void-later-undo-links' },
  );
}

export async function deleteOneTimeToken(db: Queryable, hash: Buffer): Promise<void> {
  await db.query('DELETE FROM one_time_tokens WHERE token_hash = $1 AND used_at IS NULL', [hash], {
    name: 'delete-one-time-token',
  });
}
