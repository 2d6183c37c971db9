import { setTimeout as delay } from 'node:timers/promises';
import { Events, connect } from 'nats';
import type { ConnectionOptions, NatsConnection } from 'nats';
import type { Logger } from '../../logging';
import { atMost } from '../../work/at-most';

export interface NatsOptions {
  /** One or more URLs, separated by commas; may contain credentials. */
  url: string;
  name: string;
  log: Logger;
  streamReplicas?: number;
}

/** A connection for a service that starts and serves also while NATS is away. */
export interface Nats {
  readonly connected: boolean;
  /** How many servers of the cluster store each stream; undefined keeps the operator's setting. */
  readonly streamReplicas?: number;
  /** The one connection of this process. Waits until NATS is first reached; rejects once closed. It reconnects by itself. */
  connection(): Promise<NatsConnection>;
  /** Calls the listener on every change; the returned function unsubscribes it. */
  onStatus(listener: (connected: boolean) => void): () => void;
  close(): Promise<void>;
}

const firstRetryMs = 250;
const lastRetryMs = 2_000;
const drainLimitMs = 2_000;

/** Returns immediately; connects in the background, retrying until it succeeds. */
export function connectNats({ url, name, log, streamReplicas }: NatsOptions): Nats {
  const closing = new AbortController();
  const listeners = new Set<(connected: boolean) => void>();
  let connected = false;

  const setConnected = (value: boolean): void => {
    if (connected === value) {
      return;
    }
    connected = value;
    if (!closing.signal.aborted) {
      log[value ? 'info' : 'warn'](value ? 'connected to NATS' : 'connection to NATS lost, reconnecting');
    }
    for (const listener of listeners) {
      listener(value);
    }
  };

  const first = dial(url, name, log, closing.signal).then((connection) => {
    setConnected(true);
    void followStatus(connection, setConnected);
    return connection;
  });
  first.catch(() => undefined);

  return {
    streamReplicas,
    get connected() {
      return connected;
    },
    connection: () => first,
    onStatus(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    async close() {
      closing.abort(new Error('NATS is closed'));
      const connection = await first.catch(() => undefined);
      if (connection === undefined || connection.isClosed()) {
        return;
      }
      if (connected) {
        // Sends pending messages; limited in time, because a silent server must not hold up the shutdown.
        await atMost(drainLimitMs, connection.drain());
      }
      await connection.close();
      setConnected(false);
    },
  };
}

/** Waits until NATS is connected; rejects when the signal aborts. */
export async function whenConnected(nats: Nats, signal: AbortSignal): Promise<NatsConnection> {
  let cleanUp = (): void => undefined;
  try {
    await new Promise<void>((resolve, reject) => {
      const onAbort = (): void => reject(signal.reason as Error);
      const unfollow = nats.onStatus((connected) => connected && resolve());
      signal.addEventListener('abort', onAbort, { once: true });
      cleanUp = () => {
        unfollow();
        signal.removeEventListener('abort', onAbort);
      };
      if (signal.aborted) {
        onAbort();
      } else if (nats.connected) {
        resolve();
      }
      nats.connection().catch(reject);
    });
    return await nats.connection();
  } finally {
    cleanUp();
  }
}

async function dial(url: string, name: string, log: Logger, signal: AbortSignal): Promise<NatsConnection> {
  const options = connectionOptions(url, name);
  for (let attempt = 0; ; attempt++) {
    signal.throwIfAborted();
    try {
      const connection = await connect(options);
      if (signal.aborted) {
        await connection.close();
        signal.throwIfAborted();
      }
      return connection;
    } catch (error) {
      signal.throwIfAborted();
      if (attempt === 0) {
        log.warn({ err: error }, 'NATS is away, starting without it');
      }
      const wait = Math.min(firstRetryMs * 2 ** attempt, lastRetryMs);
      await delay(wait, undefined, { signal }).catch(() => undefined);
    }
  }
}

export function connectionOptions(url: string, name: string): ConnectionOptions {
  const urls = url.split(',').map((part) => new URL(part.trim()));
  const { username, password } = urls[0] as URL;
  const user = decodeURIComponent(username);
  return {
    servers: urls.map(({ host }) => host),
    name,
    ...(password !== '' ? { user, pass: decodeURIComponent(password) } : user !== '' ? { token: user } : {}),
    ...(urls.some(({ protocol }) => protocol === 'tls:') ? { tls: {} } : {}),
    timeout: 5_000,
    maxReconnectAttempts: -1,
    reconnectTimeWait: firstRetryMs,
    reconnectJitter: firstRetryMs,
    reconnectJitterTLS: firstRetryMs,
    // A wrong password is usually being rotated; giving up would require a restart by hand.
    ignoreAuthErrorAbort: true,
    pingInterval: 10_000,
    maxPingOut: 2,
  };
}

async function followStatus(connection: NatsConnection, setConnected: (connected: boolean) => void): Promise<void> {
  for await (const { type } of connection.status()) {
    if (type === Events.Disconnect) {
      setConnected(false);
    } else if (type === Events.Reconnect) {
      setConnected(true);
    }
  }
  setConnected(false);
}
