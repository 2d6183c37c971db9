import { types } from 'pg';
import type { ClientBase, Pool, PoolClient } from 'pg';
import type { Logger } from '../logging';
import { queryBinary } from './binary/binary-rows';
import type { OnRow } from './binary/binary-rows';

/** The connection is cut when the server has not ended a cancelled statement after this time. */
const cancelGraceMs = 3_000;

export interface Statement {
  text: string;
  values?: readonly unknown[];
  name?: string;
}

/** How a statement is run on a connection. */
export type Run<T> = (client: ClientBase) => Promise<T>;

export function rowsOf<R extends object>({ text, values, name }: Statement): Run<R[]> {
  return async (client) => {
    const { rows } = await client.query<R>({ text, values: values as unknown[] | undefined, name });
    return rows;
  };
}

export function scanOf({ text, values, name }: Statement, onRow: OnRow): Run<void> {
  return (client) => queryBinary(client, { text, values: values as unknown[], name }, onRow);
}

export function runStatement<T>(
  client: ClientBase,
  run: Run<T>,
  signal: AbortSignal | undefined,
  canceller: Canceller,
): Promise<T> {
  if (signal === undefined) {
    return run(client);
  }
  if (signal.aborted) {
    return Promise.reject(abortReason(signal));
  }
  return cancellable(client, signal, canceller, () => run(client));
}

export interface Canceller {
  /** Asks the server to cancel the statement that the client is running; settles when the server has been told, never rejects. */
  cancel(client: ClientBase): Promise<void>;
}

export function createCanceller(control: Pool, log: Logger): Canceller {
  return {
    async cancel(client) {
      const { processID } = client as ClientBase & { processID: number };
      try {
        await control.query('SELECT pg_cancel_backend($1)', [processID]);
      } catch (error) {
        log.warn({ err: error }, 'a statement could not be cancelled');
      }
    },
  };
}

/**
 * Runs a statement that is cancelled on the server when the signal aborts. The connection is not given back before the
 * cancel request has been delivered, because it might hit the next statement on that connection.
 */
async function cancellable<T>(
  client: ClientBase,
  signal: AbortSignal,
  canceller: Canceller,
  run: () => Promise<T>,
): Promise<T> {
  let cancelled: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;
  const onAbort = (): void => {
    const cut = new Promise<void>((resolve) => {
      timer = setTimeout(() => {
        disconnect(client);
        resolve();
      }, cancelGraceMs);
    });
    cancelled = Promise.race([canceller.cancel(client), cut]);
  };
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await run();
  } catch (error) {
    throw signal.aborted ? abortReason(signal) : error;
  } finally {
    signal.removeEventListener('abort', onAbort);
    await cancelled;
    clearTimeout(timer);
  }
}

export function abortReason(signal: AbortSignal): Error {
  return signal.reason as Error;
}

/** While a statement is running, pg ends a connection by destroying its socket. */
function disconnect(client: ClientBase): void {
  const closable = client as ClientBase & { end(): Promise<void> };
  closable.end().catch(() => undefined);
}

/** A connection from the pool; a request that is cancelled while it waits leaves the queue immediately. */
export function acquire(pool: Pool, signal: AbortSignal | undefined): Promise<PoolClient> {
  // An idle connection comes immediately.
  if (signal === undefined || (pool.idleCount > 0 && pool.waitingCount === 0 && !signal.aborted)) {
    return pool.connect();
  }
  if (signal.aborted) {
    return Promise.reject(abortReason(signal));
  }
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(abortReason(signal));
    signal.addEventListener('abort', onAbort, { once: true });
    pool.connect().then(
      (client) => {
        signal.removeEventListener('abort', onAbort);
        if (signal.aborted) {
          client.release();
        } else {
          resolve(client);
        }
      },
      (error: Error) => {
        signal.removeEventListener('abort', onAbort);
        reject(error);
      },
    );
  });
}

type Parser = (text: string) => unknown;

const int8Array = 1016;

const overrides = new Map<number, Parser>([
  [types.builtins.INT8, parseInt8],
  [
    int8Array,
    (text) =>
      (parseArray(int8Array)(text) as (string | null)[]).map((item) => (item === null ? null : parseInt8(item))),
  ],
  // A calendar date has no time zone; a Date at local midnight would be another day elsewhere.
  [types.builtins.DATE, (text) => text],
]);

/** int8 as number, date as YYYY-MM-DD; numeric stays a string, because money must stay exact. */
export const typeParsers = {
  getTypeParser(oid: number, format?: 'text' | 'binary'): Parser {
    const override = format === 'binary' ? undefined : overrides.get(oid);
    return override ?? (types.getTypeParser(oid, format) as Parser);
  },
};

function parseArray(oid: number): Parser {
  return types.getTypeParser(oid, 'text') as Parser;
}

function parseInt8(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) {
    throw new RangeError(`int8 ${text} does not fit a JavaScript number`);
  }
  return value;
}
