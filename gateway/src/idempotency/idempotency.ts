import { randomUUID } from 'node:crypto';
import { conflict, unprocessable } from '@sabia/service-kit/errors';
import type { Logger } from '@sabia/service-kit/logging';
import type { HttpResponse } from '../http/response';
import type { Exchange } from '../http/exchange';
import { fingerprintOf, namesOf, seal, unseal } from './store';
import type { IdempotencyRecord, IdempotencyStore } from './store';

export interface Idempotency {
  /** Runs the work once per key; every later request with the key and the same content gets the first response again. */
  once(
    exchange: Exchange,
    route: KeyedRoute,
    request: Buffer,
    work: () => Promise<HttpResponse>,
  ): Promise<HttpResponse>;
}

export interface KeyedRoute {
  name: string;
  /** The service keeps the key itself, in the transaction of the effect. */
  kept: boolean;
}

export interface IdempotencyOptions {
  store: IdempotencyStore;
  log: Logger;
  /** The longest that a request may run; its record must outlive it. */
  requestTimeoutMs: number;
  newOwner?: () => string;
}

export const replayedHeaders = { 'idempotent-replayed': 'true' };

const KEPT_MS = 24 * 60 * 60 * 1000;
const MARGIN_MS = 5_000;

export function createIdempotency({
  store,
  log,
  requestTimeoutMs,
  newOwner = randomUUID,
}: IdempotencyOptions): Idempotency {
  /** The work is done and its response is valid. If it cannot be stored, a repetition gets 409 until the running record expires. */
  async function settle(change: Promise<void>): Promise<void> {
    try {
      await change;
    } catch (error) {
      log.warn({ err: error }, 'the outcome of an idempotent request could not be stored');
    }
  }

  return {
    async once(exchange, route, request, work) {
      const { idempotencyKey: key, caller, path } = exchange;
      if (key === undefined || caller === undefined) {
        return work();
      }
      const { record: name, secret } = namesOf(caller.operator?.uuid ?? caller.userId, route.name, key);
      const fingerprint = fingerprintOf(path, request, secret);
      const ours = encodeRecord({ fingerprint, owner: newOwner() });
      let found: string | undefined;
      try {
        found = await store.begin(name, ours, requestTimeoutMs + MARGIN_MS);
      } catch (error) {
        // Without Redis the key cannot be honoured here; only a service that keeps it itself can go on.
        if (route.kept) {
          return work();
        }
        throw error;
      }
      if (found !== undefined) {
        return replay(JSON.parse(found) as IdempotencyRecord, fingerprint, secret);
      }
      try {
        const response = await work();
        await settle(
          isFinal(response.status)
            ? store.finish(name, ours, encodeRecord({ fingerprint, sealed: seal(response, secret) }), KEPT_MS)
            : store.abandon(name, ours),
        );
        return response;
      } catch (error) {
        await settle(store.abandon(name, ours));
        throw error;
      }
    },
  };
}

const encodeRecord = (record: IdempotencyRecord): string => JSON.stringify(record);

function replay(record: IdempotencyRecord, fingerprint: string, secret: Buffer): HttpResponse {
  if (record.fingerprint !== fingerprint) {
    throw unprocessable('IDEMPOTENCY_KEY_REUSED', 'This Idempotency-Key was used with a different request.');
  }
  if (!('sealed' in record)) {
    throw conflict('IDEMPOTENCY_IN_PROGRESS', 'A request with this Idempotency-Key is still in progress.');
  }
  return { ...unseal(record.sealed, secret), headers: replayedHeaders };
}

/** Our own failures and exceeded rate limits say nothing about the request itself: it may be tried again. */
function isFinal(status: number): boolean {
  return status < 500 && status !== 429;
}
