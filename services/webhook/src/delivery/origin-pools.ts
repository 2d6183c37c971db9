import { TLSSocket } from 'node:tls';
import { Client, Pool } from 'undici';
import type { buildConnector } from 'undici';

export interface OriginPool {
  pool: Pool;
  http2: boolean;
  busy: number;
  usedAt: number;
}

export interface OriginPools {
  of(origin: string): OriginPool;
  close(): Promise<void>;
}

const idleMs = 2 * 60 * 1000;
const sweepMs = 30_000;
const maximumHeaderBytes = 16 * 1024;

/**
 * Over HTTP/1.1 each request under way has a connection of its own, without a limit per origin: requests are limited per
 * integration. Over HTTP/2 they share a few connections.
 */
const http2Connections = 2;
const http2Streams = 64;

/** Connections stay open between webhooks; those of an origin without requests are closed after two minutes. */
export function createOriginPools(connect: buildConnector.connector): OriginPools {
  const pools = new Map<string, OriginPool>();
  const sweeper = setInterval(() => closeIdle(), sweepMs).unref();

  function closeIdle(): void {
    for (const [origin, { pool, busy, usedAt }] of pools) {
      if (busy === 0 && performance.now() - usedAt > idleMs) {
        pools.delete(origin);
        void pool.destroy().catch(() => undefined);
      }
    }
  }

  /** The first connection shows which protocol the origin speaks; then the pool is replaced by a suitable one. */
  function onConnected(origin: string, http2: boolean): void {
    const entry = pools.get(origin);
    if (entry !== undefined && entry.http2 !== http2) {
      const before = entry.pool;
      entry.http2 = http2;
      entry.pool = open(origin, http2);
      // Requests that it has begun are finished.
      void before.close().catch(() => undefined);
    }
  }

  function open(origin: string, http2: boolean): Pool {
    return new Pool(origin, {
      allowH2: true,
      connections: http2 ? http2Connections : null,
      // The sender has one time limit for the whole request.
      headersTimeout: 0,
      bodyTimeout: 0,
      maxHeaderSize: maximumHeaderBytes,
      factory: (address, settings) => openConnection(address, settings),
    });
  }

  function openConnection(origin: URL, settings: Client.Options): Client {
    const client: Client = new Client(origin, {
      ...settings,
      connect: (options, callback) =>
        connect(options, (...result) => {
          const [, socket] = result;
          if (socket) {
            const http2 = socket instanceof TLSSocket && socket.alpnProtocol === 'h2';
            client.pipelining = http2 ? http2Streams : 1;
            onConnected(origin.origin, http2);
          }
          callback(...result);
        }),
    });
    return client;
  }

  return {
    of(origin) {
      let entry = pools.get(origin);
      if (entry === undefined) {
        entry = { pool: open(origin, false), http2: false, busy: 0, usedAt: 0 };
        pools.set(origin, entry);
      }
      return entry;
    },
    async close() {
      clearInterval(sweeper);
      await Promise.allSettled([...pools.values()].map(({ pool }) => pool.destroy()));
      pools.clear();
    },
  };
}
