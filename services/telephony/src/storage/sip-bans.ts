import type { Queryable } from '@sabia/service-kit/postgres/database';

export interface SipBan {
  address: string;
  /** As PostgreSQL writes it: a Date would lose the microseconds. */
  until: string;
  isOver: boolean;
}

/** Uses the clock of the database, which all replicas share. False: the address is banned already. */
export async function addBan(queryable: Queryable, ban: { address: string; forMs: number }): Promise<boolean> {
  const rows = await queryable.query(
    `INSERT INTO sip_bans (address, banned_until)
     VALUES ($1::inet, clock_timestamp() + make_interval(secs => $2::float8))
     ON CONFLICT (address) DO NOTHING
     RETURNING 1 AS added`,
    [ban.address, ban.forMs / 1_000],
  );
  return rows.length > 0;
}

/** The ban that ends last comes first. */
export async function listBans(queryable: Queryable): Promise<SipBan[]> {
  return queryable.query<SipBan>(
    `SELECT host(address) AS address, banned_until::text AS until, banned_until <= clock_timestamp() AS "isOver"
     FROM sip_bans ORDER BY banned_until DESC, address`,
    [],
    { name: 'list-sip-bans' },
  );
}

/** False: the ban is gone, or the address has been banned again since this ban was listed. */
export async function removeBan(queryable: Queryable, ban: Pick<SipBan, 'address' | 'until'>): Promise<boolean> {
  const rows = await queryable.query(
    'DELETE FROM sip_bans WHERE address = $1::inet AND banned_until = $2::timestamptz RETURNING 1 AS removed',
    [ban.address, ban.until],
  );
  return rows.length > 0;
}
