import { Redis } from 'ioredis';
import type { Logger } from '@sabia/service-kit/logging';

export interface RedisConnection {
  client: Redis;
  /** Resolves when it is reached, or when that took too long to wait for. */
  firstContact(timeoutMs: number): Promise<void>;
  /** Known to be out of reach: whoever can do without it should not even ask. */
  isAway(): boolean;
  /** Told of a command that failed. A server that hangs keeps its connection open, so only this reveals it. */
  report(error: unknown): void;
  close(): void;
}

const PROBE_INTERVAL_MS = 250;

/** Never queues and never waits long: while Redis is away a command fails at once. */
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
  // Without a listener ioredis prints every failed attempt by itself.
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
