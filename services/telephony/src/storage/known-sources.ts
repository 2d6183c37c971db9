import type { Queryable } from '@sabia/service-kit/postgres/database';

const REMEMBERED_DAYS = 30;

/** A softphone has registered from there: while its extension is locked, it may do so again. */
export async function rememberSource(
  queryable: Queryable,
  source: { endpoint: string; address: string },
): Promise<void> {
  await queryable.query(
    `INSERT INTO sip.known_sources (endpoint, address, seen_at) VALUES ($1, $2::inet, clock_timestamp())
     ON CONFLICT (endpoint, address) DO UPDATE SET seen_at = excluded.seen_at`,
    [source.endpoint, source.address],
  );
}

/** A softphone that stays registered is not seen anew, however long ago it came. */
export async function forgetOldSources(queryable: Queryable): Promise<void> {
  await queryable.query(
    `DELETE FROM sip.known_sources AS source
     WHERE seen_at < clock_timestamp() - make_interval(days => $1::int)
       AND NOT EXISTS (SELECT FROM sip.ps_contacts WHERE endpoint = source.endpoint)`,
    [REMEMBERED_DAYS],
  );
}
