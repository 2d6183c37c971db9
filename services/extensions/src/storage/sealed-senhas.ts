import type { Database, Queryable } from '@sabia/service-kit/postgres/database';
import type { SealedSenha } from '../domain/senha-vault';

export interface SealedRow extends SealedSenha {
  id: number;
  accountId: number;
}

const columns = 'id, account_id AS "accountId", senha_key_id AS "senhaKeyId", senha_sealed AS "senhaSealed"';

/** One row per key in use; skips from key to key in the index, independent of the number of extensions. */
export async function sampleEachKey(db: Queryable): Promise<SealedRow[]> {
  return db.query<SealedRow>(
    `WITH RECURSIVE sample AS (
       (SELECT senha_key_id AS key_id, id AS extension_id FROM extensions ORDER BY senha_key_id, id LIMIT 1)
       UNION ALL
       SELECT next.key_id, next.extension_id
       FROM sample, LATERAL (
         SELECT senha_key_id AS key_id, id AS extension_id FROM extensions
         WHERE senha_key_id > sample.key_id
         ORDER BY senha_key_id, id LIMIT 1
       ) AS next
     )
     SELECT ${columns} FROM extensions WHERE id IN (SELECT extension_id FROM sample)`,
  );
}

/** Seals up to `limit` senhas anew; returns how many there were. Rows that another transaction has locked are left for later. */
export async function resealSome(
  database: Database,
  { oldKeyIds, limit, reseal }: { oldKeyIds: string[]; limit: number; reseal: (row: SealedRow) => SealedSenha },
): Promise<number> {
  return database.transaction(async (tx) => {
    const rows = await tx.query<SealedRow>(
      `SELECT ${columns} FROM extensions WHERE senha_key_id = ANY ($1) LIMIT $2 FOR NO KEY UPDATE SKIP LOCKED`,
      [oldKeyIds, limit],
    );
    const sealed = rows.map(reseal);
    await tx.query(
      `UPDATE extensions SET senha_key_id = new.key_id, senha_sealed = new.sealed
       FROM unnest($1::bigint[], $2::text[], $3::bytea[]) AS new (extension_id, key_id, sealed)
       WHERE id = new.extension_id`,
      [
        rows.map(({ id }) => id),
        sealed.map(({ senhaKeyId }) => senhaKeyId),
        sealed.map(({ senhaSealed }) => senhaSealed),
      ],
    );
    return rows.length;
  });
}
