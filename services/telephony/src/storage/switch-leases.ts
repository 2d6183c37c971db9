import type { Queryable } from '@sabia/service-kit/postgres/database';

/** Takes or renews the lease, by the clock of the database; returns its term. Undefined: another replica holds it. */
export async function takeLease(
  queryable: Queryable,
  lease: { switchName: string; holder: string; seconds: number },
): Promise<number | undefined> {
  const [row] = await queryable.query<{ term: number }>(
    `INSERT INTO switch_leases AS lease (switch, holder, expires_at)
     VALUES ($1, $2::uuid, clock_timestamp() + make_interval(secs => $3::float8))
     ON CONFLICT (switch) DO UPDATE SET holder = excluded.holder, expires_at = excluded.expires_at,
       term = CASE WHEN lease.holder = excluded.holder THEN lease.term ELSE excluded.term END
     WHERE lease.holder = excluded.holder OR lease.expires_at < clock_timestamp()
     RETURNING term`,
    [lease.switchName, lease.holder, lease.seconds],
    { name: 'take-lease' },
  );
  return row?.term;
}

export async function releaseLease(queryable: Queryable, lease: { switchName: string; holder: string }): Promise<void> {
  await queryable.query('DELETE FROM switch_leases WHERE switch = $1 AND holder = $2::uuid', [
    lease.switchName,
    lease.holder,
  ]);
}
