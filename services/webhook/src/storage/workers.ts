import type { Queryable } from '@sabia/service-kit/postgres/database';

/** Reports that this replica is at work and answers how many others are. */
export async function reportWorker(db: Queryable, id: string, silenceMs: number): Promise<number> {
  const [row] = await db.query<{ others: number }>(
    `WITH own AS (
       INSERT INTO workers (id, seen_at) VALUES ($1, now()) ON CONFLICT (id) DO UPDATE SET seen_at = now()
     ), gone AS (
       DELETE FROM workers WHERE seen_at < now() - interval '1 hour'
     )
     SELECT count(*) AS others FROM workers WHERE id <> $1 AND seen_at > now() - $2 * interval '1 millisecond'`,
    [id, silenceMs],
    { name: 'report-worker' },
  );
  return row?.others ?? 0;
}

export async function removeWorker(db: Queryable, id: string): Promise<void> {
  await db.query('DELETE FROM workers WHERE id = $1', [id]);
}
