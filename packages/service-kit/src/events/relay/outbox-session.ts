import { Client } from 'pg';
import { typeParsers } from '../../postgres/statement';
import { emptyNextSlot } from './next-slot';
import type { Mark, Span, Transactions } from './progress';

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

export interface StoredMark extends Mark {
  /** When the stream was created that has what is published; undefined before the first time. */
  streamCreated: string | undefined;
  /** Accounts were told of what has this position or a lower one, though it is published again. */
  toldTo: number;
}

/** The relay's own connection. It holds the lock of the active relay, which ends with the session. */
export interface OutboxSession {
  readonly schema: string;
  /** True if no other relay of this schema holds the lock. */
  tryLock(): Promise<boolean>;
  loadMark(): Promise<StoredMark>;
  /** False if somebody else has moved the mark since it was loaded or saved. */
  saveMark(mark: StoredMark): Promise<boolean>;
  /** The rows after a position, in order. */
  read(after: number, limit: number): Promise<OutboxRow[]>;
  /** The rows that lie in the spans, in order, and the transactions that ran at that moment. */
  look(spans: readonly Span[], limit: number): Promise<{ rows: OutboxRow[]; transactions: Transactions }>;
  /** When the oldest event happened that comes after the mark. */
  oldestWaiting(): Promise<Date | undefined>;
  /** Empties the slot that is used next, if everything in it is published and old enough. */
  emptyNextSlot(): Promise<void>;
  close(): Promise<void>;
}

const columns =
  'position, id, type, version, account_id, occurred_at, traceparent, tracestate, payload, services_only, also';

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
  /** As it stands in the table, as far as this session knows. */
  let stored: Pick<StoredMark, 'position' | 'streamCreated'> = { position: 0, streamCreated: undefined };
  return {
    schema,
    async tryLock() {
      const { rows } = await client.query<{ locked: boolean }>(
        `SELECT pg_try_advisory_lock(hashtextextended('sabia relay ' || current_schema(), 0)) AS locked`,
      );
      return rows[0]?.locked === true;
    },
    async loadMark() {
      const { rows } = await client.query<{
        position: number;
        open_from: string[];
        open_to: string[];
        stream_created: string | null;
        told_to: number;
      }>('SELECT position, open_from, open_to, stream_created, told_to FROM outbox_mark');
      const { position, open_from, open_to, stream_created, told_to } = rows[0]!;
      stored = { position, streamCreated: stream_created ?? undefined };
      const open = open_from.map((from, index) => ({ from: Number(from), to: Number(open_to[index]) }));
      return { ...stored, open, toldTo: told_to };
    },
    async saveMark({ position, open, streamCreated, toldTo }) {
      const { rowCount } = await client.query({
        name: 'outbox-mark',
        text: `UPDATE outbox_mark SET position = $1, open_from = $2, open_to = $3, stream_created = $4, told_to = $5
               WHERE position = $6 AND stream_created IS NOT DISTINCT FROM $7`,
        values: [
          position,
          open.map(({ from }) => from),
          open.map(({ to }) => to),
          streamCreated,
          toldTo,
          stored.position,
          stored.streamCreated ?? null,
        ],
      });
      stored = { position, streamCreated };
      return rowCount === 1;
    },
    async read(after, limit) {
      const { rows } = await client.query<OutboxRow>({
        name: 'outbox-read',
        text: `SELECT ${columns} FROM outbox WHERE position > $1 ORDER BY position LIMIT $2`,
        values: [after, limit],
      });
      return rows;
    },
    async look(spans, limit) {
      // Each span by itself: to put a join in order PostgreSQL would walk through the whole outbox and compare every event with the spans.
      // Not pg_snapshot_xmax as the next one: that follows the newest transaction that has ended, and younger ones may run.
      const { rows } = await client.query<(OutboxRow | { position: null }) & { oldest: string; next: string }>({
        name: 'outbox-look',
        text: `SELECT pg_snapshot_xmin(seen) AS oldest, pg_current_xact_id() AS next, found.*
               FROM pg_current_snapshot() AS seen
               LEFT JOIN (SELECT within.* FROM unnest($1::bigint[], $2::bigint[]) AS open (from_position, to_position)
                          CROSS JOIN LATERAL (SELECT ${columns} FROM outbox WHERE position BETWEEN from_position AND to_position
                                              ORDER BY position LIMIT $3) AS within
                          ORDER BY position LIMIT $3) AS found ON true
               ORDER BY position`,
        values: [spans.map(({ from }) => from), spans.map(({ to }) => to), limit],
      });
      const { oldest, next } = rows[0]!;
      return {
        rows: rows.filter((row) => row.position !== null),
        transactions: { oldest: BigInt(oldest), next: BigInt(next) },
      };
    },
    async oldestWaiting() {
      // Not through outbox_waiting, which would be read as a whole to be put in order.
      const { rows } = await client.query<{ occurred_at: Date }>(
        `SELECT occurred_at FROM outbox WHERE position > (SELECT position FROM outbox_mark) ORDER BY position LIMIT 1`,
      );
      return rows[0]?.occurred_at;
    },
    emptyNextSlot: () => emptyNextSlot(client),
    async close() {
      await client.end().catch(() => undefined);
    },
  };
}
