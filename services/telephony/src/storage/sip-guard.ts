import type { Queryable } from '@sabia/service-kit/postgres/database';

// sip.guesses, sip.bans, sip.extension_locks: written by the SIP edges, which count wrong passwords together.

export interface Guesses {
  source: string;
  transport: string;
  count: number;
}

/** Wrong passwords that no replica has been told of yet; from now on they count as told. */
export async function takeUntoldGuesses(queryable: Queryable): Promise<Guesses[]> {
  return queryable.query<Guesses>(
    `WITH untold AS (
       UPDATE sip.guesses SET is_told = true
       WHERE ctid = ANY (ARRAY(SELECT ctid FROM sip.guesses WHERE NOT is_told LIMIT 10000 FOR UPDATE SKIP LOCKED))
       RETURNING source, transport
     )
     SELECT host(source) AS source, transport, count(*)::integer AS count FROM untold GROUP BY 1, 2`,
    [],
    { name: 'take-untold-guesses' },
  );
}

/** Sources banned since the last time. */
export async function takeUntoldBans(queryable: Queryable): Promise<string[]> {
  const rows = await queryable.query<{ source: string }>(
    'UPDATE sip.bans SET is_told = true WHERE NOT is_told RETURNING source::text AS source',
    [],
    { name: 'take-untold-bans' },
  );
  return rows.map(({ source }) => source);
}

/** Extensions locked since the last time. */
export async function takeUntoldLocks(queryable: Queryable): Promise<string[]> {
  const rows = await queryable.query<{ endpoint: string }>(
    'UPDATE sip.extension_locks SET is_told = true WHERE NOT is_told RETURNING endpoint',
    [],
    { name: 'take-untold-locks' },
  );
  return rows.map(({ endpoint }) => endpoint);
}

export async function countBans(queryable: Queryable): Promise<number> {
  const [row] = await queryable.query<{ count: number }>(
    'SELECT count(*)::integer AS count FROM sip.bans WHERE banned_until > clock_timestamp()',
    [],
    { name: 'count-sip-bans' },
  );
  return row?.count ?? 0;
}

/** Removes what has no effect any more. */
export async function forgetOldGuesses(queryable: Queryable): Promise<void> {
  await queryable.query(
    `DELETE FROM sip.guesses WHERE is_told AND guessed_at < clock_timestamp() - interval '10 minutes'`,
  );
  await queryable.query('DELETE FROM sip.bans WHERE is_told AND banned_until <= clock_timestamp()');
  await queryable.query('DELETE FROM sip.extension_locks WHERE locked_until <= clock_timestamp()');
}
