import { Client } from 'pg';
import type { Logger } from '../../logging';
import { atMost } from '../../work/at-most';
import { createWakeup } from '../../work/wakeup';
import type { Part } from './parts';

export interface LeadershipOptions {
  databaseUrl: string;
  /** The name that all replicas share. */
  name: string;
  parts: readonly Part[];
  /** Works on a part until the signal aborts and nothing that it began is left. If it rejects, the part is left to others for a moment. */
  lead: (part: Part, signal: AbortSignal) => Promise<void>;
  log: Logger;
  signal: AbortSignal;
}

interface Led {
  /** Set once it is to be given back. */
  giveUp: AbortController;
  ended: Promise<void>;
  outcome?: 'over' | 'failed';
}

const lookEveryMs = 500;
/** How long a replica leaves a part in which it has failed to others. */
const restMs = 2_000;
const closeLimitMs = 5_000;

/**
 * Divides parts among replicas: each is led by one at a time, and each replica leads its share of the shards, which changes as replicas
 * come and go; the part without a shard stays where it is. The right to a part is a lock, held by a database session that ends with the
 * process; a lock that all replicas share tells how many there are. Resolves when the signal aborts; rejects when the session is lost or
 * the database is away.
 */
export async function leadParts({ databaseUrl, name, parts, lead, log, signal }: LeadershipOptions): Promise<void> {
  const shards = parts.filter(({ shard }) => shard !== undefined);
  const unsharded = parts.filter(({ shard }) => shard === undefined);
  const led = new Map<Part, Led>();
  const restsUntil = new Map<Part, number>();
  const wakeup = createWakeup();
  const lost = new AbortController();
  const ending = AbortSignal.any([signal, lost.signal]);
  const wake = (): void => wakeup.poke();
  const client = new Client({
    connectionString: databaseUrl,
    application_name: `sabia ${name}`,
    connectionTimeoutMillis: 5_000,
    query_timeout: 10_000,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
  });
  client.on('error', (error) => lost.abort(error));
  client.on('end', () => lost.abort(new Error('the session that held the locks has ended')));

  function take(part: Part): void {
    const giveUp = new AbortController();
    const entry: Led = { giveUp, ended: Promise.resolve() };
    const end = (outcome: Led['outcome']): void => {
      entry.outcome = outcome;
      wake();
    };
    entry.ended = lead(part, AbortSignal.any([ending, giveUp.signal])).then(
      () => end('over'),
      (error: unknown) => {
        log.warn({ err: error, consumer: part.durable }, 'the consumer was interrupted, trying again');
        end('failed');
      },
    );
    led.set(part, entry);
  }

  /** The lock is held until running work has finished: the next replica may get later events of the same call. */
  async function unlockEnded(): Promise<void> {
    for (const [part, { outcome }] of led) {
      if (outcome !== undefined) {
        await client.query(`SELECT pg_advisory_unlock(${lockOf})`, [part.durable]);
        led.delete(part);
        if (outcome === 'failed') restsUntil.set(part, performance.now() + restMs);
      }
    }
  }

  async function takeFree(candidates: readonly Part[], most: number): Promise<void> {
    let taken = 0;
    for (const part of candidates) {
      const isFree = !led.has(part) && (restsUntil.get(part) ?? 0) <= performance.now();
      if (taken < most && !ending.aborted && isFree && (await tryLock(client, part.durable))) {
        take(part);
        taken += 1;
      }
    }
  }

  async function look(): Promise<void> {
    await unlockEnded();
    const share = shareOf(shards.length, await findPlace(client, name));
    const own = shards.filter((part) => led.get(part)?.giveUp.signal.aborted === false);
    own.slice(share).forEach((part) => led.get(part)!.giveUp.abort());
    await takeFree(shards, share - own.length);
    await takeFree(unsharded, unsharded.length);
  }

  signal.addEventListener('abort', wake);
  lost.signal.addEventListener('abort', wake);
  try {
    await client.connect();
    // Without keepalives the locks of a lost machine would last for the two hours of TCP's default.
    await client.query('SET tcp_keepalives_idle = 10; SET tcp_keepalives_interval = 5; SET tcp_keepalives_count = 3');
    await client.query(`SELECT pg_advisory_lock_shared(${replicaLockOf})`, [name]);
    while (!ending.aborted) {
      await look();
      await wakeup.sleep(lookEveryMs);
    }
    if (!signal.aborted) {
      throw lost.signal.reason as Error;
    }
  } catch (error) {
    lost.abort(error);
    throw error;
  } finally {
    signal.removeEventListener('abort', wake);
    await Promise.all([...led.values()].map(({ ended }) => ended));
    await atMost(closeLimitMs, client.end());
  }
}

interface Place {
  replicas: number;
  /** How many replicas are before this one. */
  rank: number;
}

export const shareOf = (parts: number, { replicas, rank }: Place): number =>
  Math.floor(parts / replicas) + (rank < parts % replicas ? 1 : 0);

const lockOf = `hashtextextended('sabia consumer ' || current_schema() || ' ' || $1::text, 0)`;
const replicaLockOf = `hashtextextended('sabia replicas of ' || current_schema() || ' ' || $1::text, 0)`;

async function tryLock(client: Client, durable: string): Promise<boolean> {
  const { rows } = await client.query<{ locked: boolean }>(`SELECT pg_try_advisory_lock(${lockOf}) AS locked`, [
    durable,
  ]);
  return rows[0]?.locked === true;
}

/** Among the sessions that share the lock of all replicas. PostgreSQL shows the key of a lock as two halves. */
async function findPlace(client: Client, name: string): Promise<Place> {
  const { rows } = await client.query<Place>(
    `SELECT count(*)::integer AS replicas, (count(*) FILTER (WHERE pid < pg_backend_pid()))::integer AS rank
     FROM pg_locks, (SELECT ${replicaLockOf} AS key) AS lock
     WHERE locktype = 'advisory' AND objsubid = 1 AND granted
       AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
       AND classid = ((key >> 32) & 4294967295)::oid AND objid = (key & 4294967295)::oid`,
    [name],
  );
  return rows[0]!;
}
