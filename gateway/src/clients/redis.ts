import { Redis } from 'ioredis';
import type { Logger } from '@sabia/service-kit/logging';

export interface RedisConnection {
  client: Redis;
  /** Resolves when Redis is reached, or after the timeout. */
  firstContact(timeoutMs: number): Promise<void>;
  /** Whether Redis is known to be out of reach, so that callers that can do without it need not try. */
  isAway(): boolean;
  /** Reports a failed command. A hanging server keeps its connection open, so only failed commands reveal it. */
  report(error: unknown): void;
  close(): void;
}

const PROBE_INTERVAL_MS = 250;

/** Never queues commands and never waits long: while Redis is away, a command fails immediately. */
export function connectRedis(url: string, timeoutMs: number, log: Logger): RedisConnection {
  const client = new Redis(url, {
    enableAutoPipelining: true,
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    commandTimeout: timeoutMs,
    connectTimeout: 1_000,
    retryStrategy: (attempt) => Math.min(50 * attempt, 500),
    connectionName: 'sabia-gateway',
  });
  let hanging = false;
  let reachable: boolean | undefined;
  let probe: NodeJS.Timeout | undefined;

  const note = (now: boolean): void => {
    if (reachable !== now) {
      log[now ? 'info' : 'warn'](now ? 'connected to Redis' : 'Redis is away');
      reachable = now;
    }
  };
  client.on('ready', () => note(true));
  client.on('close', () => note(false));
  // Without a listener, ioredis prints every failed attempt.
  client.on('error', (error: Error) => log.debug({ err: error }, 'Redis connection error'));

  const probeAgain = (): void => {
    probe = setTimeout(() => {
      client.ping().then(
        () => {
          hanging = false;
          note(true);
        },
        () => probeAgain(),
      );
    }, PROBE_INTERVAL_MS);
  };

  return {
    client,
    firstContact: (timeoutMs) =>
      new Promise((resolve) => {
        if (client.status === 'ready') {
          resolve();
          return;
        }
        const timer = setTimeout(resolve, timeoutMs);
        client.once('ready', () => {
          clearTimeout(timer);
          resolve();
        });
      }),
    isAway: () => hanging || client.status !== 'ready',
    report(error) {
      if (!hanging && client.status === 'ready' && (error as Error).message === 'Command timed out') {
        hanging = true;
        note(false);
        probeAgain();
      }
    },
    close() {
      clearTimeout(probe);
      hanging = true;
      client.disconnect();
    },
  };
}
