import type { Queryable, Transaction } from '@sabia/service-kit/postgres/database';
import type { AccessToken, TokenKind } from '../domain/access-token';
import type { Role } from '../domain/user';

export interface TokenSummary {
  prefix: string;
  ttl: number;
  createdAt: Date;
  lastUsedAt: Date | null;
  name: string | null;
  hash: Buffer;
}

export interface TokenOwner {
  accountId: number;
  accountUuid: string;
  domain: string;
  timeZone: string;
  areaCode: string | null;
  accountPhone: string;
  userId: number;
  userUuid: string;
  userName: string;
  /** Empty unless confirmed, because other services grant access by it. */
  email: string;
  role: Role;
  kind: TokenKind;
  createdAt: Date;
  expiresAt: Date | null;
  lastUsedAt: Date | null;
  /** Null unless the account is suspended. */
  suspensionReason: string | null;
}

export async function insertAccessToken(db: Queryable, token: AccessToken): Promise<void> {
  await db.query(
    `INSERT INTO access_tokens (token_hash, prefix, user_id, ttl, created_at, expires_at, kind)
     VALUES ($1, $2, $3, $4, $5, $6, $7)`,
    [token.hash, token.prefix, token.userId, token.ttl, token.createdAt, token.expiresAt, token.kind],
    { name: 'insert-access-token' },
  );
}

/**
 * A further token, made with one that must still be there: returns false when it is not. A request that ends all tokens of a user locks
 * the user first, then the tokens; in the same order here, so that such an end either sees the new token or is seen by it.
 */
export async function insertFurtherToken(
  db: Queryable,
  token: AccessToken,
  { madeWith, name }: { madeWith: Uint8Array; name: string | null },
): Promise<boolean> {
  const rows = await db.query(
    `INSERT INTO access_tokens (token_hash, prefix, user_id, ttl, created_at, expires_at, name)
     SELECT $1, $2, owner.id, $4, $5, $6, $8::text
     FROM (
       SELECT u.id FROM users u JOIN access_tokens t ON t.user_id = u.id
       WHERE u.id = $3 AND t.token_hash = $7
       FOR KEY SHARE OF u, t
     ) AS owner
     RETURNING user_id`,
    [token.hash, token.prefix, token.userId, token.ttl, token.createdAt, token.expiresAt, madeWith, name],
    { name: 'insert-further-token' },
  );
  return rows.length === 1;
}

export async function findTokenOwner(db: Queryable, hash: Uint8Array): Promise<TokenOwner | undefined> {
  const [owner] = await db.query<TokenOwner>(
    `SELECT a.id AS "accountId", a.uuid AS "accountUuid", a.domain, a.time_zone AS "timeZone", a.area_code AS "areaCode",
            a.phone AS "accountPhone", u.id AS "userId", u.uuid AS "userUuid", u.name AS "userName", u.role,
            CASE WHEN u.email_verified THEN u.email ELSE '' END AS email,
            t.kind, t.created_at AS "createdAt", t.expires_at AS "expiresAt", t.last_used_at AS "lastUsedAt",
            a.suspension_reason AS "suspensionReason"
     FROM access_tokens t
     JOIN users u ON u.id = t.user_id
     JOIN accounts a ON a.id = u.account_id
     WHERE t.token_hash = $1`,
    [hash],
    { name: 'find-token-owner' },
  );
  return owner;
}

/** The tokens of API clients; sessions of the console are not listed. */
export async function listLiveTokens(db: Queryable, userId: number, now: Date): Promise<TokenSummary[]> {
  return db.query<TokenSummary>(
    `SELECT prefix, ttl, created_at AS "createdAt", last_used_at AS "lastUsedAt", name, token_hash AS hash
     FROM access_tokens
     WHERE user_id = $1 AND kind = 'api' AND (expires_at IS NULL OR expires_at > $2)
     ORDER BY created_at DESC, prefix
     LIMIT 1000`,
    [userId, now],
    { name: 'list-live-tokens' },
  );
}

export async function deleteToken(tx: Transaction, hash: Uint8Array): Promise<boolean> {
  const rows = await tx.query('DELETE FROM access_tokens WHERE token_hash = $1 RETURNING user_id', [hash], {
    name: 'delete-token',
  });
  return rows.length > 0;
}

export async function deleteTokensByPrefix(tx: Transaction, userId: number, prefix: string): Promise<Buffer[]> {
  const rows = await tx.query<{ hash: Buffer }>(
    `DELETE FROM access_tokens WHERE user_id = $1 AND prefix = $2 AND kind = 'api' RETURNING token_hash AS hash`,
    [userId, prefix],
    { name: 'delete-tokens-by-prefix' },
  );
  return rows.map(({ hash }) => hash);
}

/** Deletes all tokens of a user, or all except that of the request. */
export async function deleteTokensOfUser(tx: Transaction, userId: number, except?: Uint8Array): Promise<Buffer[]> {
  const rows = await tx.query<{ hash: Buffer }>(
    'DELETE FROM access_tokens WHERE user_id = $1 AND token_hash IS DISTINCT FROM $2 RETURNING token_hash AS hash',
    [userId, except ?? null],
    { name: 'delete-tokens-of-user' },
  );
  return rows.map(({ hash }) => hash);
}

/** Locked rows are skipped: this neither waits for other transactions nor blocks them. */
export async function touchTokens(db: Queryable, uses: { hash: Buffer; at: Date }[]): Promise<void> {
  await db.query(
    `UPDATE access_tokens t SET last_used_at = used.at
     FROM unnest($1::bytea[], $2::timestamptz[]) AS used (token_hash, at)
     WHERE t.token_hash = used.token_hash AND t.token_hash IN (
       SELECT token_hash FROM access_tokens WHERE token_hash = ANY ($1::bytea[]) FOR UPDATE SKIP LOCKED
     )`,
    [uses.map(({ hash }) => hash), uses.map(({ at }) => at)],
    { name: 'touch-tokens' },
  );
}
