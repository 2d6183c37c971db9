import type { Queryable } from '@sabia/service-kit/postgres/database';

/** Notes when the switch responded. Never moves back, even if a replica is late. */
export async function noteSighting(queryable: Queryable, switchName: string, seenAt: Date): Promise<void> {
  await queryable.query(
    `INSERT INTO switch_sightings AS known (switch, seen_at) VALUES ($1, $2)
     ON CONFLICT (switch) DO UPDATE SET seen_at = greatest(known.seen_at, excluded.seen_at)`,
    [switchName, seenAt],
    { name: 'note-sighting' },
  );
}

export async function findSighting(queryable: Queryable, switchName: string): Promise<Date | undefined> {
  const [row] = await queryable.query<{ seen_at: Date }>(
    'SELECT seen_at FROM switch_sightings WHERE switch = $1',
    [switchName],
    { name: 'find-sighting' },
  );
  return row?.seen_at;
}
