import type { Queryable } from '@sabia/service-kit/postgres/database';
import { isUniqueViolation } from '@sabia/service-kit/postgres/errors';
import type { Operator, OperatorToken } from '../domain/operator';

const columns = `uuid, name, token_prefix AS "tokenPrefix", created_at AS "createdAt", revoked_at AS "revokedAt", configured`;

/** The operator whose token this is, unless it was ended. */
export async function findOperatorByToken(db: Queryable, hash: Uint8Array): Promise<Operator | undefined> {
  const [operator] = await db.query<Operator>(
    `SELECT ${columns} FROM operators WHERE token_hash = $1 AND revoked_at IS NULL`,
    [hash],
    { name: 'find-operator-by-token' },
  );
  return operator;
}

/** Puts the token of the configuration in the place of the one that was there before. */
export async function saveConfiguredOperator(
  db: Queryable,
  { name, token, now }: { name: string; token: OperatorToken; now: Date },
): Promise<Operator> {
  const [operator] = await db.query<Operator>(
    `INSERT INTO operators (name, token_hash, token_prefix, configured, created_at) VALUES ($1, $2, $3, true, $4)
     ON CONFLICT (configured) WHERE configured
     DO UPDATE SET token_hash = excluded.token_hash, token_prefix = excluded.token_prefix, revoked_at = NULL
     RETURNING ${columns}`,
    [name, token.hash, token.prefix, now],
  );
  return operator!;
}

export async function listOperators(db: Queryable): Promise<Operator[]> {
  return db.query<Operator>(`SELECT ${columns} FROM operators ORDER BY id`);
}

/** Undefined: an operator whose token works has this name already. */
export async function insertOperator(
  db: Queryable,
  { name, token, now }: { name: string; token: OperatorToken; now: Date },
): Promise<Operator | undefined> {
  try {
    const [operator] = await db.query<Operator>(
      `INSERT INTO operators (name, token_hash, token_prefix, created_at) VALUES ($1, $2, $3, $4) RETURNING ${columns}`,
      [name, token.hash, token.prefix, now],
    );
    return operator!;
  } catch (error) {
    if (isUniqueViolation(error, 'operators_live_name')) {
      return undefined;
    }
    throw error;
  }
}

/** Undefined: there is no such operator. One whose token was ended before keeps the time of that. */
export async function revokeOperator(db: Queryable, uuid: string, now: Date): Promise<Operator | undefined> {
  const [operator] = await db.query<Operator>(
    `UPDATE operators SET revoked_at = coalesce(revoked_at, $2) WHERE uuid = $1 RETURNING ${columns}`,
    [uuid, now],
  );
  return operator;
}
