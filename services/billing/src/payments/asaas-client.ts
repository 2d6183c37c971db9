import { setTimeout as delay } from 'node:timers/promises';
import { unavailable } from '@sabia/service-kit/errors';
import type { Logger } from '@sabia/service-kit/logging';
import { PaymentRefused } from './port';

export interface AsaasClientOptions {
  /** With its version: https://api.asaas.com/v3 */
  url: string;
  apiKey: string;
  timeoutMs: number;
  /** The total number of tries. */
  attempts?: number;
  firstPauseMs?: number;
  log: Logger;
}

export interface AsaasRequest {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  path: string;
  query?: Record<string, string>;
  body?: Record<string, unknown>;
  /**
   * Checks whether a try with unknown outcome has succeeded. Without it, a POST is not repeated once it may have reached the
   * server.
   */
  findOutcome?: () => Promise<unknown>;
}

export interface AsaasClient {
  /** Resolves to the JSON of the response; undefined for 404. */
  send(request: AsaasRequest): Promise<unknown>;
}

/** A failed try; whether it may have had an effect decides about a retry. */
class FailedTry extends Error {
  constructor(
    readonly reason: string,
    readonly mayHaveHappened: boolean,
    readonly pauseMs?: number,
  ) {
    super(reason);
  }
}

const longestPauseMs = 5_000;

/** HTTP as Asaas documents it: the key in `access_token`, JSON, errors as a list of descriptions. */
export function createAsaasClient(options: AsaasClientOptions): AsaasClient {
  const { log, attempts = 3, firstPauseMs = 250 } = options;

  async function send(request: AsaasRequest): Promise<unknown> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await sendOnce(options, request);
      } catch (error) {
        if (!(error instanceof FailedTry)) {
          throw error;
        }
        const { method, path, findOutcome } = request;
        log.warn({ method, path, attempt, reason: error.reason }, 'a request to the payment provider failed');
        if (error.mayHaveHappened && method === 'POST' && attempt < attempts) {
          const outcome = await findOutcome?.();
          if (outcome !== undefined) {
            return outcome;
          }
        }
        const repeatable = method !== 'POST' || findOutcome !== undefined || !error.mayHaveHappened;
        if (!repeatable || attempt >= attempts) {
          throw unavailable('The payment provider is temporarily unavailable.', 5, error);
        }
        await delay(
          error.pauseMs ?? Math.min(firstPauseMs * 2 ** (attempt - 1) * (0.5 + Math.random()), longestPauseMs),
        );
      }
    }
  }

  return { send };
}

async function sendOnce({ url, apiKey, timeoutMs }: AsaasClientOptions, request: AsaasRequest): Promise<unknown> {
  const target = new URL(url.replace(/\/+$/, '') + request.path);
  for (const [name, value] of Object.entries(request.query ?? {})) {
    target.searchParams.set(name, value);
  }
  let status: number;
  let retryAfter: string | null;
  let text: string;
  try {
    const response = await fetch(target, {
      method: request.method,
      headers: {
        access_token: apiKey,
        accept: 'application/json',
        'user-agent': 'sabia',
        ...(request.body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      body: request.body === undefined ? undefined : JSON.stringify(request.body),
      redirect: 'error',
      signal: AbortSignal.timeout(timeoutMs),
    });
    ({ status } = response);
    retryAfter = response.headers.get('retry-after');
    text = await response.text();
  } catch (error) {
    throw new FailedTry(describeFailure(error), !wasRefusedConnection(error));
  }
  if (status >= 200 && status < 300) {
    return parseJson(text);
  }
  if (status === 404) {
    return undefined;
  }
  if (status === 429) {
    const seconds = Number(retryAfter);
    throw new FailedTry('status 429', false, seconds > 0 ? Math.min(seconds * 1_000, longestPauseMs) : undefined);
  }
  if (status >= 500 || status === 408) {
    throw new FailedTry(`status ${status}`, true);
  }
  if (status === 401 || status === 403) {
    // A fault of our configuration, not of the customer; nothing has happened.
    throw unavailable('The payment provider does not accept our key.', 60, new Error(`status ${status}`));
  }
  throw new PaymentRefused(descriptionOf(text) ?? `status ${status}`);
}

function parseJson(text: string): unknown {
  try {
    return text === '' ? {} : JSON.parse(text);
  } catch {
    throw new FailedTry('the answer is not JSON', true);
  }
}

/** {"errors":[{"code":"invalid_customer","description":"…"}]} */
function descriptionOf(text: string): string | undefined {
  try {
    const { errors } = JSON.parse(text) as { errors?: { description?: unknown }[] };
    const descriptions = (errors ?? [])
      .map(({ description }) => description)
      .filter((each) => typeof each === 'string');
    return descriptions.length > 0 ? descriptions.join(' ') : undefined;
  } catch {
    return undefined;
  }
}

const causeCode = (error: unknown): unknown => (error as { cause?: { code?: unknown } }).cause?.code;

function wasRefusedConnection(error: unknown): boolean {
  return ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN'].includes(String(causeCode(error)));
}

function describeFailure(error: unknown): string {
  const code = causeCode(error);
  return typeof code === 'string' ? code : error instanceof Error ? error.name : 'unknown';
}
