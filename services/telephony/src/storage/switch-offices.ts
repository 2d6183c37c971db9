import type { Queryable } from '@sabia/service-kit/postgres/database';

/** Takes or renews an office that one switch has at a time. False: another switch has it. */
export async function takeOffice(
  queryable: Queryable,
  office: { name: string; switchName: string; seconds: number },
): Promise<boolean> {
  const rows = await queryable.query(
    `INSERT INTO switch_offices AS known (office, switch, expires_at)
     VALUES ($1, $2, clock_timestamp() + make_interval(secs => $3::float8))
     ON CONFLICT (office) DO UPDATE SET switch = excluded.switch, expires_at = excluded.expires_at
     WHERE known.switch = excluded.switch OR known.expires_at < clock_timestamp()
     RETURNING 1 AS mine`,
    [office.name, office.switchName, office.seconds],
    { name: 'take-office' },
  );
  return rows.length > 0;
}

export async function resignOffice(queryable: Queryable, office: { name: string; switchName: string }): Promise<void> {
  await queryable.query('DELETE FROM switch_offices WHERE office = $1 AND switch = $2', [
    office.name,
    office.switchName,
  ]);
}
