import { Pool } from 'undici';
import type { Attempt } from '../domain/outcome';
import { readRetryAfter } from '../domain/retry-schedule';
import { sign } from '../domain/signature';
import { readAnswer } from './answer';
import { describeError } from './failure-text';
import { createGuardedConnector } from './guarded-connector';
import type { Lookup } from './guarded-connector';

export interface Webhook {
  webhookId: string;
  url: string;
  headers: Record<string, string>;
  body: string;
  secrets: Buffer[];
}

export interface Sender {
  /** Never rejects; undefined when the time of this process was over first. */
  send(webhook: Webhook): Promise<Attempt | undefined>;
  /** Gives up whatever is under way. */
  close(): Promise<void>;
}

export interface SenderOptions {
  allowPrivate: boolean;
  timeoutMs: number;
  now: () => Date;
  lookup?: Lookup;
}

const idleMs = 2 * 60 * 1000;
const sweepMs = 30_000;
const maximumHeaderBytes = 16 * 1024;

interface OriginPool {
  pool: Pool;
  busy: number;
  usedAt: number;
}

export function createSender(options: SenderOptions): Sender {
  const { timeoutMs, now } = options;
  const pools = new Map<string, OriginPool>();
  const underWay = new Set<AbortController>();
  let closed = false;
  const connect = createGuardedConnector(options);
  const sweeper = setInterval(() => closeIdle(), sweepMs).unref();

  function poolOf(origin: string): OriginPool {
    let entry = pools.get(origin);
    if (entry === undefined) {
      const pool = new Pool(origin, {
        connect,
        allowH2: true,
        // As many connections as it takes: how many requests are under way is limited per integration, not per origin.
        connections: null,
        pipelining: 1,
        // One timer of our own covers all of it.
        headersTimeout: 0,
        bodyTimeout: 0,
        maxHeaderSize: maximumHeaderBytes,
      });
      entry = { pool, busy: 0, usedAt: 0 };
      pools.set(origin, entry);
    }
    return entry;
  }

  function closeIdle(): void {
    for (const [origin, { pool, busy, usedAt }] of pools) {
      if (busy === 0 && performance.now() - usedAt > idleMs) {
        pools.delete(origin);
        void pool.destroy().catch(() => undefined);
      }
    }
  }

  async function post({ webhookId, url, headers, body, secrets }: Webhook): Promise<Attempt | undefined> {
    const at = now();
    const started = performance.now();
    const latencyMs = () => Math.round(performance.now() - started);
    const { origin, pathname, search } = new URL(url);
    const entry = poolOf(origin);
    entry.busy += 1;
    const abort = new AbortController();
    const timer = setTimeout(() => abort.abort(), timeoutMs);
    underWay.add(abort);
    try {
      const answer = await entry.pool.request({
        method: 'POST',
        path: pathname + search,
        headers: {
          'user-agent': 'Sabia-Webhooks/1.0',
          accept: '*/*',
          ...headers,
          'content-type': 'application/json',
          ...sign(webhookId, at, body, secrets),
        },
        body,
        signal: abort.signal,
      });
      const attempt: Attempt = { at, latencyMs: latencyMs(), status: answer.statusCode };
      attempt.answer = await readAnswer(answer.body);
      const retryAfter = answer.headers['retry-after'];
      attempt.retryAfterMs = readRetryAfter(typeof retryAfter === 'string' ? retryAfter : retryAfter?.[0], now());
      if (answer.statusCode >= 300 && answer.statusCode < 400) {
        attempt.error = `The receiver answered ${answer.statusCode}; redirects are not followed.`;
      }
      return attempt;
    } catch (error) {
      if (closed) {
        return undefined;
      }
      const reason = abort.signal.aborted ? `No answer within ${timeoutMs / 1000} seconds.` : describeError(error);
      return { at, latencyMs: latencyMs(), error: reason };
    } finally {
      clearTimeout(timer);
      underWay.delete(abort);
      entry.busy -= 1;
      entry.usedAt = performance.now();
    }
  }

  return {
    send: post,
    async close() {
      clearInterval(sweeper);
      closed = true;
      underWay.forEach((abort) => abort.abort());
      await Promise.allSettled([...pools.values()].map(({ pool }) => pool.destroy()));
      pools.clear();
    },
  };
}
