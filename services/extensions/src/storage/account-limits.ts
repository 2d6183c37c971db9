import type { Queryable, Transaction } from '@sabia/service-kit/postgres/database';

/** Null: any number of extensions. The newest event wins, in whatever order the events arrive. */
export async function saveLimit(
  db: Queryable,
  { accountId, extensions, toldAt }: { accountId: number; extensions: number | null; toldAt: Date },
): Promise<void> {
  await db.query(
    `INSERT INTO account_limits AS l (account_id, extensions, told_at) VALUES ($1, $2, $3)
     ON CONFLICT (account_id) DO UPDATE SET extensions = excluded.extensions, told_at = excluded.told_at
     WHERE l.told_at <= excluded.told_at`,
    [accountId, extensions, toldAt],
  );
}

/** Undefined: the account may have any number of extensions. */
export async function findLimit(db: Queryable, accountId: number): Promise<number | undefined> {
  const [row] = await db.query<{ extensions: number | null }>(
    'SELECT extensions FROM account_limits WHERE account_id = $1',
    [accountId],
    { name: 'find-limit' },
  );
  return row?.extensions ?? undefined;
}

/** No other request of a limited account adds extensions before the transaction ends. */
export async function lockNumbers(tx: Transaction, accountId: number): Promise<void> {
  await tx.query('SELECT lock_numbers($1)', [accountId], { name: 'lock-numbers' });
}

export async function countExtensions(db: Queryable, accountId: number): Promise<number> {
  const [row] = await db.query<{ count: number }>(
    'SELECT count(*)::int AS count FROM extensions WHERE account_id = $1',
    [accountId],
    { name: 'count-extensions' },
  );
  return row!.count;
}
