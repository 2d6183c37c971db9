import { Client } from 'pg';
import { typeParsers } from '../../postgres/statement';

export interface OutboxRow {
  position: number;
  id: string;
  type: string;
  version: number;
  account_id: number;
  occurred_at: Date;
  traceparent: string;
  tracestate: string;
  payload: Buffer;
  /** The account was told before. */
  services_only: boolean;
  /** The encoded field of an Envelope: what the account is told of in the same message. */
  also: Buffer;
}

/** The relay's own connection. It holds the lock of the active relay, which ends with the session. */
export interface OutboxSession {
  readonly schema: string;
  /** True if no other relay of this schema holds the lock. */
  tryLock(): Promise<boolean>;
  /** Deletes the published rows and reads the next ones without those that are held, in one round trip. */
  exchange(published: number[], after: number, limit: number, held?: ReadonlySet<number>): Promise<OutboxRow[]>;
  close(): Promise<void>;
}

export async function openOutboxSession(databaseUrl: string): Promise<OutboxSession> {
  const client = new Client({
    connectionString: databaseUrl,
    application_name: 'sabia relay',
    connectionTimeoutMillis: 5_000,
    statement_timeout: 25_000,
    query_timeout: 30_000,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    types: typeParsers,
  });
  client.on('error', () => undefined);
  try {
    await client.connect();
    // Without keepalives the lock of a lost machine would last for the two hours of TCP's default.
    await client.query('SET tcp_keepalives_idle = 10; SET tcp_keepalives_interval = 5; SET tcp_keepalives_count = 3');
    const { rows } = await client.query<{ schema: string }>('SELECT current_schema() AS schema');
    return sessionOf(client, (rows[0] as { schema: string }).schema);
  } catch (error) {
    await client.end().catch(() => undefined);
    throw error;
  }
}

function sessionOf(client: Client, schema: string): OutboxSession {
  return {
    schema,
    async tryLock() {
      const { rows } = await client.query<{ locked: boolean }>(
        `SELECT pg_try_advisory_lock(hashtextextended('sabia relay ' || current_schema(), 0)) AS locked`,
      );
      return rows[0]?.locked === true;
    },
    async exchange(published, after, limit, held = new Set()) {
      // The SELECT does not see the effect of the DELETE in the same statement, hence the second condition.
      const { rows } = await client.query<OutboxRow>({
        name: 'outbox-exchange',
        text: `WITH published AS (DELETE FROM outbox WHERE position = ANY ($1::bigint[]))
               SELECT position, id, type, version, account_id, occurred_at, traceparent, tracestate, payload, services_only, also
               FROM outbox WHERE position > $2 AND position <> ALL ($1::bigint[]) AND position <> ALL ($4::bigint[])
               ORDER BY position LIMIT $3`,
        values: [published, after, limit, [...held]],
      });
      return rows;
    },
    async close() {
      await client.end().catch(() => undefined);
    },
  };
}
