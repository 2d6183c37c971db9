import type { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { Pool } from 'undici';

const LATE_MS = 2_500;

export class AriError extends Error {
  constructor(
    readonly method: string,
    readonly path: string,
    /** HTTP status; undefined: there was no response. */
    readonly status: number | undefined,
    reason: string,
    cause?: unknown,
  ) {
    super(`${method} ${path}: ${status ?? 'no response'} ${reason}`, { cause });
  }
}

/** The channel, bridge or recording is gone, which is often what was wanted. */
export function isGone(error: unknown): boolean {
  return error instanceof AriError && error.status === 404;
}

export type Query = Record<string, string | number | boolean | undefined>;

export interface AriHttp {
  request<T>(method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, query?: Query, body?: object): Promise<T>;
  /** A stream without a limit of its length; it times out only when no data arrives. */
  download(path: string): Promise<Readable>;
  /** Aborts all requests in progress, because Asterisk is out of reach. */
  reset(): void;
  close(): Promise<void>;
}

export interface AriHttpOptions {
  /** With its path: http://127.0.0.1:8088/ari */
  url: string;
  user: string;
  password: string;
  timeoutMs: number;
  /** False: nothing may be changed any more, because another replica may be driving. */
  mayAct?: () => boolean;
}

export function createAriHttp({ url, user, password, timeoutMs, mayAct = () => true }: AriHttpOptions): AriHttp {
  const { origin, pathname } = new URL(url);
  const prefix = pathname.replace(/\/+$/, '');
  const authorization = basic(user, password);
  const timeouts = {
    // Shorter than Asterisk's own (http.conf), so that no request goes out on a connection that is about to be closed.
    keepAliveTimeout: 10_000,
    headersTimeout: timeoutMs,
    bodyTimeout: timeoutMs,
    connectTimeout: timeoutMs,
  };
  const openPools = () => ({
    requests: new Pool(origin, { connections: 32, ...timeouts }),
    // A separate pool, so that requests about calls do not wait for audio.
    downloads: new Pool(origin, { connections: 8, ...timeouts }),
  });
  let pools = openPools();
  const destroy = ({ requests, downloads }: typeof pools) => Promise.all([requests.destroy(), downloads.destroy()]);

  /** A lease that is renewed late is not lost yet. */
  const whenItMay = async (): Promise<boolean> => {
    const until = performance.now() + LATE_MS;
    while (!mayAct() && performance.now() < until) await delay(LATE_MS / 50);
    return mayAct();
  };

  const send = async (method: string, path: string, query: Query, body?: object): Promise<Buffer> => {
    if (method !== 'GET' && !(await whenItMay())) {
      throw new AriError(method, path, undefined, 'the lease of the switch is lost');
    }
    try {
      const response = await pools.requests.request({
        method,
        path: `${prefix}${path}`,
        query: Object.fromEntries(Object.entries(query).filter(([, value]) => value !== undefined)),
        headers: { authorization, ...(body && { 'content-type': 'application/json' }) },
        body: body && JSON.stringify(body),
      });
      const content = Buffer.from(await response.body.arrayBuffer());
      if (response.statusCode >= 300) throw new AriError(method, path, response.statusCode, messageOf(content));
      return content;
    } catch (error) {
      throw toAriError(method, path, error);
    }
  };

  return {
    async request<T>(method: string, path: string, query: Query = {}, body?: object): Promise<T> {
      const content = await send(method, path, query, body);
      return (content.length > 0 ? JSON.parse(content.toString('utf8')) : undefined) as T;
    },
    async download(path) {
      try {
        const response = await pools.downloads.request({
          method: 'GET',
          path: `${prefix}${path}`,
          headers: { authorization },
        });
        if (response.statusCode < 300) return response.body;
        throw new AriError('GET', path, response.statusCode, messageOf(Buffer.from(await response.body.arrayBuffer())));
      } catch (error) {
        throw toAriError('GET', path, error);
      }
    },
    reset() {
      void destroy(pools);
      pools = openPools();
    },
    async close() {
      await destroy(pools);
    },
  };
}

function toAriError(method: string, path: string, error: unknown): AriError {
  if (error instanceof AriError) return error;
  return new AriError(method, path, undefined, error instanceof Error ? error.message : String(error), error);
}

export function basic(user: string, password: string): string {
  return `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
}

function messageOf(content: Buffer): string {
  const text = content.toString('utf8');
  try {
    const { message, error } = JSON.parse(text) as { message?: string; error?: string };
    return message ?? error ?? text;
  } catch {
    return text.slice(0, 200);
  }
}
