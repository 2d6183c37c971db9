import type { Queryable } from '@sabia/service-kit/postgres/database';

export interface Replay {
  id: string;
  integrationId: number;
  createdAt: Date;
}

export interface ReplayProgress {
  createdAt: Date;
  total: number;
  delivered: number;
  dead: number;
  pending: number;
  retrying: number;
}

export async function insertReplay(db: Queryable, { id, integrationId, createdAt }: Replay): Promise<void> {
  await db.query('INSERT INTO replays (id, integration_id, created_at) VALUES ($1, $2, $3)', [
    id,
    integrationId,
    createdAt,
  ]);
}

/** The deliveries of a replay as they are now. Undefined: there is no such replay, or it is forgotten. */
export async function findReplay(
  db: Queryable,
  { integrationId, id }: Pick<Replay, 'integrationId' | 'id'>,
): Promise<ReplayProgress | undefined> {
  const [progress] = await db.query<ReplayProgress>(
    `SELECT r.created_at AS "createdAt", count(d.id) AS total, count(*) FILTER (WHERE d.status = 'delivered') AS delivered,
       count(*) FILTER (WHERE d.status = 'dead') AS dead, count(*) FILTER (WHERE d.status = 'pending') AS pending,
       count(*) FILTER (WHERE d.status = 'retrying') AS retrying
     FROM replays r
     LEFT JOIN replayed_deliveries n ON n.replay_id = r.id
     LEFT JOIN delivery_log d ON d.id = n.delivery_id
     WHERE r.id = $1 AND r.integration_id = $2
     GROUP BY r.id`,
    [id, integrationId],
    { name: 'find-replay' },
  );
  return progress;
}
