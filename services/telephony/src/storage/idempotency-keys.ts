import type { KeptAnswer } from '@sabia/service-kit/idempotency';
import type { Queryable } from '@sabia/service-kit/postgres/database';

export interface KeyToKeep extends KeptAnswer {
  name: Buffer;
  expiresAt: Date;
}

/** Returns the names that are new. Waits for transactions that are inserting one of the names. */
export async function keepKeys(queryable: Queryable, keys: KeyToKeep[]): Promise<Buffer[]> {
  // All transactions insert in the same order, so that they cannot deadlock.
  const sorted = [...keys].sort((a, b) => Buffer.compare(a.name, b.name));
  const rows = await queryable.query<{ name: Buffer }>(
    `INSERT INTO idempotency_keys (name, fingerprint, answer, expires_at)
     SELECT * FROM unnest($1::bytea[], $2::bytea[], $3::bytea[], $4::timestamptz[])
     ON CONFLICT (name) DO NOTHING RETURNING name`,
    [
      sorted.map(({ name }) => name),
      sorted.map(({ fingerprint }) => fingerprint),
      sorted.map(({ answer }) => answer),
      sorted.map(({ expiresAt }) => expiresAt),
    ],
    { name: 'keep-keys' },
  );
  return rows.map(({ name }) => name);
}

/** Returns those of the names that are stored. */
export async function listKeptNames(queryable: Queryable, names: Buffer[]): Promise<Buffer[]> {
  const rows = await queryable.query<{ name: Buffer }>(
    'SELECT name FROM idempotency_keys WHERE name = ANY ($1::bytea[])',
    [names],
    { name: 'list-kept-names' },
  );
  return rows.map(({ name }) => name);
}
