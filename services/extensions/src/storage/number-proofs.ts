import type { Queryable, Transaction } from '@sabia/service-kit/postgres/database';
import type { NumberProof, ProofOutcome } from '../domain/number-proof';

const columns = `id, account_id AS "accountId", number, tries, outcome, created_at AS "createdAt", expires_at AS "expiresAt"`;

/** Proofs are opened one after the other, so that their limits are exact; there are few of them. */
export async function lockProofs(tx: Transaction): Promise<void> {
  await tx.query(`SELECT pg_advisory_xact_lock(hashtextextended('number-proofs', 0))`);
}

/** How many proofs of the number, by whichever account, and of the account were opened since then. */
export async function countProofs(
  db: Queryable,
  { number, accountId, since }: Pick<NumberProof, 'number' | 'accountId'> & { since: Date },
): Promise<{ ofNumber: number; ofAccount: number }> {
  const [row] = await db.query<{ ofNumber: number; ofAccount: number }>(
    `SELECT (SELECT count(*) FROM number_proofs WHERE number = $1 AND created_at > $3) AS "ofNumber",
       (SELECT count(*) FROM number_proofs WHERE account_id = $2 AND created_at > $3) AS "ofAccount"`,
    [number, accountId, since],
  );
  return row!;
}

export async function insertProof(
  db: Queryable,
  {
    id,
    accountId,
    number,
    codeHash,
    createdAt,
    expiresAt,
  }: Omit<NumberProof, 'tries' | 'outcome'> & { codeHash: Buffer },
): Promise<void> {
  await db.query(
    `INSERT INTO number_proofs (id, account_id, number, code_hash, created_at, expires_at) VALUES ($1, $2, $3, $4, $5, $6)`,
    [id, accountId, number, codeHash, createdAt, expiresAt],
  );
}

export async function deleteProof(db: Queryable, id: string): Promise<void> {
  await db.query('DELETE FROM number_proofs WHERE id = $1', [id]);
}

export async function deleteProofsBefore(db: Queryable, before: Date): Promise<void> {
  await db.query('DELETE FROM number_proofs WHERE created_at < $1', [before]);
}

export async function findProof(
  db: Queryable,
  { id, accountId }: Pick<NumberProof, 'id' | 'accountId'>,
): Promise<NumberProof | undefined> {
  const [proof] = await db.query<NumberProof>(
    `SELECT ${columns} FROM number_proofs WHERE id = $1 AND account_id = $2`,
    [id, accountId],
  );
  return proof;
}

/** Further tries wait until the transaction ends. */
export async function lockProof(
  tx: Transaction,
  id: string,
): Promise<(NumberProof & { codeHash: Buffer | null }) | undefined> {
  const [proof] = await tx.query<NumberProof & { codeHash: Buffer | null }>(
    `SELECT ${columns}, code_hash AS "codeHash" FROM number_proofs WHERE id = $1 FOR UPDATE`,
    [id],
  );
  return proof;
}

export async function saveTry(
  tx: Transaction,
  { id, tries, outcome }: { id: string; tries: number; outcome: ProofOutcome | null },
): Promise<void> {
  await tx.query(
    `UPDATE number_proofs SET tries = $2, outcome = $3::text,
       code_hash = CASE WHEN $3::text IS NULL THEN code_hash END
     WHERE id = $1`,
    [id, tries, outcome],
  );
}
