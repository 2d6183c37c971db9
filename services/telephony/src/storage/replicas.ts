import type { Queryable } from '@sabia/service-kit/postgres/database';

/** Notes that the replica runs; returns how many have run within these seconds, itself included. */
export async function noteReplica(queryable: Queryable, id: string, withinSeconds: number): Promise<number> {
  const [row] = await queryable.query<{ count: number }>(
    `WITH mine AS (
       INSERT INTO replicas (id, seen_at, reads_live_state) VALUES ($1::uuid, clock_timestamp(), true)
       ON CONFLICT (id) DO UPDATE SET seen_at = excluded.seen_at
     )
     SELECT 1 + count(*) AS count FROM replicas
     WHERE id <> $1::uuid AND seen_at > clock_timestamp() - make_interval(secs => $2::float8)`,
    [id, withinSeconds],
    { name: 'note-replica' },
  );
  return row!.count;
}

/** The replica stops; those that died without a word are forgotten, too. */
export async function forgetReplica(queryable: Queryable, id: string): Promise<void> {
  await queryable.query(`DELETE FROM replicas WHERE id = $1::uuid OR seen_at < clock_timestamp() - interval '1 hour'`, [
    id,
  ]);
}
