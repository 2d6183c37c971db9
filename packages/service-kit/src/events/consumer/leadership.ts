import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';

/** The exclusive right to consume: a lock held by a database session of its own, which ends with the session. */
export interface Term {
  /** Calls back when the lock is lost. */
  onLost(callback: (reason: Error) => void): void;
  resign(): Promise<void>;
}

const tryEveryMs = 500;

/** Waits until no other replica holds the lock. Rejects when the database is away, or with the reason of the signal. */
export async function becomeLeader(databaseUrl: string, name: string, signal: AbortSignal): Promise<Term> {
  const client = new Client({
    connectionString: databaseUrl,
    application_name: `sabia ${name}`,
    connectionTimeoutMillis: 5_000,
    query_timeout: 10_000,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
  });
  const lost = new Promise<Error>((resolve) => {
    client.on('error', resolve);
    client.on('end', () => resolve(new Error('the session that held the lock has ended')));
  });
  try {
    await client.connect();
    // Without keepalives the lock of a lost machine would last for the two hours of TCP's default.
    await client.query('SET tcp_keepalives_idle = 10; SET tcp_keepalives_interval = 5; SET tcp_keepalives_count = 3');
    while (!(await tryLock(client, name))) {
      await delay(tryEveryMs, undefined, { signal });
    }
    signal.throwIfAborted();
  } catch (error) {
    await client.end().catch(() => undefined);
    throw error;
  }
  return {
    onLost: (callback) => void lost.then(callback),
    async resign() {
      await client.end().catch(() => undefined);
    },
  };
}

async function tryLock(client: Client, name: string): Promise<boolean> {
  const { rows } = await client.query<{ locked: boolean }>(
    `SELECT pg_try_advisory_lock(hashtextextended('sabia consumer ' || current_schema() || ' ' || $1, 0)) AS locked`,
    [name],
  );
  return rows[0]?.locked === true;
}
