import type { Queryable } from '@sabia/service-kit/postgres/database';

const REMEMBERED_DAYS = 30;

/** Forgets addresses from which an extension has not registered for long, unless it is registered now. */
export async function forgetOldSources(queryable: Queryable): Promise<void> {
  await queryable.query(
    `DELETE FROM sip.known_sources AS source
     WHERE seen_at < clock_timestamp() - make_interval(days => $1::int)
       AND NOT EXISTS (SELECT FROM sip.contacts WHERE endpoint = source.endpoint)`,
    [REMEMBERED_DAYS],
  );
}
