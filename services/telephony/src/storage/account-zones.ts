import type { Queryable } from '@sabia/service-kit/postgres/database';

export interface AccountZone {
  accountId: number;
  timeZone: string;
  toldAt: Date;
}

/** The newest word counts, in whatever order the words arrive. */
export async function saveZone(db: Queryable, { accountId, timeZone, toldAt }: AccountZone): Promise<void> {
  await db.query(
    `INSERT INTO account_zones AS z (account_id, time_zone, told_at) VALUES ($1, $2, $3)
     ON CONFLICT (account_id) DO UPDATE SET time_zone = excluded.time_zone, told_at = excluded.told_at
     WHERE z.told_at <= excluded.told_at`,
    [accountId, timeZone, toldAt],
  );
}

/** Undefined until identity has told. */
export async function findZone(db: Queryable, accountId: number): Promise<string | undefined> {
  const [row] = await db.query<{ timeZone: string }>(
    'SELECT time_zone AS "timeZone" FROM account_zones WHERE account_id = $1',
    [accountId],
    { name: 'find-zone' },
  );
  return row?.timeZone;
}
