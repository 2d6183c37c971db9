import type { ClientBase, Pool } from 'pg';
import type { Logger } from '../logging';

/** A server that does not end a cancelled statement in this time has fallen silent: its connection is cut. */
const cancelGraceMs = 3_000;

export interface Canceller {
  /** Asks the server to cancel what the client is running; settles when the server has been told, never rejects. */
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
 * cancel request has been delivered, or it might hit the next statement of somebody else.
 */
export async function cancellable<T>(
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
