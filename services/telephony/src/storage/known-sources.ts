import type { Queryable } from '@sabia/service-kit/postgres/database';

const REMEMBERED_DAYS = 30;

/** Remembers an address that has registered the extension: it may do so again while the extension is locked. */
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

/** Keeps the addresses of registered softphones, which are noted only when they register for the first time. */
export async function forgetOldSources(queryable: Queryable): Promise<void> {
  await queryable.query(
    `DELETE FROM sip.known_sources AS source
     WHERE seen_at < clock_timestamp() - make_interval(days => $1::int)
       AND NOT EXISTS (SELECT FROM sip.ps_contacts WHERE endpoint = source.endpoint)`,
    [REMEMBERED_DAYS],
  );
}
