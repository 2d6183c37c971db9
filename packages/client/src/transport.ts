import { SabiaError, errorOf } from './errors';
import { pause } from './pause';
import { waitBeforeRetry } from './retries';
import type { RetryOptions } from './retries';

export interface TransportOptions extends RetryOptions {
  /** An access token, or where to get it each time. None for what needs no token, and for pages with a session. */
  token?: string | (() => string | undefined | Promise<string | undefined>);
  /** Sent with every request. */
  headers?: Record<string, string>;
  /** How long one try may take, in milliseconds; 60,000 unless it is set. */
  timeoutMs?: number;
  /** Instead of the global one. */
  fetch?: typeof fetch;
}

/** Sends a request with the token. Resolves with a success, rejects with a SabiaError or the reason of the request's signal. */
export type Send = (request: Request) => Promise<Response>;

/** One try, without a time limit. */
export function createSend({ token, headers = {}, fetch: given }: TransportOptions): Send {
  return async (request) => {
    const current = typeof token === 'function' ? await token() : token;
    if (current !== undefined) request.headers.set('authorization', current);
    for (const [name, value] of Object.entries(headers)) request.headers.set(name, value);
    let response: Response;
    try {
      response = await (given ?? globalThis.fetch)(request);
    } catch (error) {
      request.signal.throwIfAborted();
      throw noConnection(request, error);
    }
    if (!response.ok) throw await errorOf(response);
    return response;
  };
}

/** Several tries, each with a time limit. */
export function createPersistentSend(options: TransportOptions): Send {
  const send = createSend(options);
  const { timeoutMs = 60_000 } = options;

  async function attempt(request: Request): Promise<Response> {
    const limit = AbortSignal.timeout(timeoutMs);
    const limited = new Request(request, { signal: AbortSignal.any([request.signal, limit]) });
    try {
      return await readWhole(await send(limited));
    } catch (error) {
      request.signal.throwIfAborted();
      if (error instanceof SabiaError) throw error;
      throw limit.aborted ? timedOut(request, timeoutMs) : noConnection(request, error);
    }
  }

  return async (request) => {
    for (let tries = 1; ; tries += 1) {
      try {
        return await attempt(request.clone());
      } catch (error) {
        const wait = error instanceof SabiaError ? waitBeforeRetry(error, request, tries, options) : undefined;
        if (wait === undefined) throw error;
        await pause(wait, request.signal);
      }
    }
  };
}

/** A connection can break in the middle of an answer: JSON is read here, so that this is a failed try like any other. */
async function readWhole(response: Response): Promise<Response> {
  if (!response.headers.get('content-type')?.includes('json')) return response;
  const { status, statusText, headers } = response;
  return new Response(await response.arrayBuffer(), { status, statusText, headers });
}

function noConnection(request: Request, cause: unknown): SabiaError {
  const message = `${new URL(request.url).origin} could not be reached.`;
  return new SabiaError({ status: 0, code: 'NO_CONNECTION', message, cause });
}

function timedOut(request: Request, timeoutMs: number): SabiaError {
  const message = `${request.method} ${new URL(request.url).pathname} got no answer within ${timeoutMs} ms.`;
  return new SabiaError({ status: 0, code: 'TIMEOUT', message });
}
