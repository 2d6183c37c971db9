import type { Queryable } from '@sabia/service-kit/postgres/database';

// sip.edges: the SIP edges, which sign in twice a second. sip.trunk_sources: the addresses that they take for carriers.

/** Connections end with their edge. An edge that comes back in time has removed them itself. */
export async function sweepDeadEdges(queryable: Queryable, deadSeconds: number): Promise<void> {
  await queryable.query(
    `DELETE FROM sip.contacts AS contact
     WHERE connection IS NOT NULL AND NOT EXISTS (
       SELECT FROM sip.edges WHERE name = contact.edge AND seen_at > clock_timestamp() - make_interval(secs => $1)
     )`,
    [deadSeconds],
    { name: 'sweep-dead-edges' },
  );
}

/** Edges that will not come back. Those of a phone over UDP stay: its way leads over another edge meanwhile. */
export async function forgetOldEdges(queryable: Queryable): Promise<void> {
  await queryable.query(
    `DELETE FROM sip.edges AS edge WHERE seen_at < clock_timestamp() - interval '1 hour'
       AND NOT EXISTS (SELECT FROM sip.contacts WHERE edge = edge.name)`,
  );
}

export interface TrunkSource {
  trunk: string;
  /** An address or a network. */
  network: string;
}

/** Writes where the calls of carriers come from; whatever else was there is gone. */
export async function replaceTrunkSources(queryable: Queryable, sources: readonly TrunkSource[]): Promise<void> {
  await queryable.query(
    `WITH wanted AS (SELECT * FROM unnest($1::text[], $2::inet[]) AS source (trunk, network)),
       gone AS (DELETE FROM sip.trunk_sources WHERE (trunk, network) NOT IN (SELECT trunk, network FROM wanted))
     INSERT INTO sip.trunk_sources (trunk, network) SELECT DISTINCT trunk, network FROM wanted ON CONFLICT DO NOTHING`,
    [sources.map(({ trunk }) => trunk), sources.map(({ network }) => network)],
  );
}
