import type { Queryable } from '@sabia/service-kit/postgres/database';

// sip.edges: the SIP edges, which sign in twice a second. sip.trunk_sources: the addresses that they take for carriers.
// sip.trunk_servers: where they find the carriers that nodes ask for.

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

export interface TrunkServer {
  trunk: string;
  /** Where it is, by address; the first one is preferred. */
  uris: string[];
}

/** Writes where carriers are. One that is known at an address which it still has stays there, whatever order name servers tell. */
export async function noteTrunkServers(queryable: Queryable, servers: readonly TrunkServer[]): Promise<void> {
  await queryable.query(
    `WITH found AS (
       SELECT trunk, ARRAY (SELECT jsonb_array_elements_text(uris)) AS uris
       FROM jsonb_to_recordset($1::jsonb) AS found (trunk text, uris jsonb)
     )
     INSERT INTO sip.trunk_servers AS known (trunk, uri)
     SELECT trunk, coalesce((SELECT uri FROM sip.trunk_servers WHERE trunk = found.trunk AND uri = ANY (found.uris)), uris[1]) FROM found
     ON CONFLICT (trunk) DO UPDATE SET uri = excluded.uri WHERE known.uri <> excluded.uri`,
    [JSON.stringify(servers)],
  );
}

/** The edges forget all other carriers. */
export async function keepTrunkServers(queryable: Queryable, trunks: readonly string[]): Promise<void> {
  await queryable.query('DELETE FROM sip.trunk_servers WHERE NOT trunk = ANY ($1::text[])', [trunks]);
}

export interface CarrierEdge {
  name: string;
  host: string;
  port: number;
  /** It has not missed a round. */
  isFresh: boolean;
}

/** The edges that live, take calls and know all carriers; and the names of the carriers that they know. */
export async function readCarrierEdges(queryable: Queryable): Promise<{ edges: CarrierEdge[]; trunks: string[] }> {
  const rows = await queryable.query<CarrierEdge & { trunks: string[] | null }>(
    `SELECT name, host(node_host) AS host, node_port AS port, seen_at > clock_timestamp() - interval '800 milliseconds' AS "isFresh",
       (SELECT array_agg(trunk) FROM sip.trunk_servers) AS trunks
     FROM sip.edges WHERE state = 'active' AND seen_at > clock_timestamp() - interval '1500 milliseconds'
       AND carriers = (SELECT digest FROM sip.carriers_digest)`,
    [],
    { name: 'read-carrier-edges' },
  );
  return { edges: rows, trunks: rows[0]?.trunks ?? [] };
}

/**
 * Whether an edge has looked for lost calls a good while after this one was noted, and has not been started since the carrier was
 * asked: then it has cancelled what it asked the carrier for.
 */
export async function hasCancelled(
  queryable: Queryable,
  { edge, askedAt, lostAt }: { edge: string; askedAt: Date; lostAt: Date },
): Promise<boolean> {
  const rows = await queryable.query(
    `SELECT FROM sip.edges WHERE name = $1 AND started_at < $2 AND seen_at > $3::timestamptz + interval '1 second'`,
    [edge, askedAt, lostAt],
    { name: 'has-cancelled' },
  );
  return rows.length > 0;
}
