import type { ClientBase } from 'pg';
import { toDatabaseError } from './errors';
import type { Transaction } from './queryable';
import { abortReason, rowsOf, runStatement, scanOf } from './statement';
import type { Canceller, Run } from './statement';

export interface RunningTransaction {
  run<T>(work: (tx: Transaction) => Promise<T>): Promise<{ result: T; callbacks: (() => void)[] }>;
}

export function createTransaction(
  client: ClientBase,
  signal: AbortSignal | undefined,
  canceller: Canceller,
): RunningTransaction {
  const callbacks: (() => void)[] = [];
  let over = false;
  // One statement at a time: a connection serves them in order anyway, and each must be cancellable on its own.
  let last: Promise<unknown> = Promise.resolve();

  function inTurn<T>(run: Run<T>): Promise<T> {
    if (over) {
      return Promise.reject(new Error('This transaction is over; a query of it was not awaited.'));
    }
    const result = last.then(async () => {
      try {
        return await runStatement(client, run, signal, canceller);
      } catch (error) {
        throw toDatabaseError(error);
      }
    });
    last = result.catch(() => undefined);
    return result;
  }

  const tx: Transaction = {
    query: (text, values, options) => inTurn(rowsOf({ text, values, name: options?.name })),
    scan: (text, values, onRow, options) => inTurn(scanOf({ text, values, name: options?.name }, onRow)),
    afterCommit(callback) {
      callbacks.push(callback);
    },
  };

  return {
    async run(work) {
      await client.query('BEGIN');
      try {
        const result = await work(tx);
        over = true;
        await last;
        if (signal?.aborted) {
          throw abortReason(signal);
        }
        const { command } = await client.query('COMMIT');
        if (command !== 'COMMIT') {
          // PostgreSQL answers ROLLBACK, without an error, when an earlier failure was swallowed by the work.
          throw new Error('The transaction was rolled back: a statement in it had failed.');
        }
        return { result, callbacks };
      } catch (error) {
        over = true;
        await last;
        // A connection that cannot even roll back is dropped by its pool, which rolls back too.
        await client.query('ROLLBACK').catch(() => undefined);
        throw error;
      }
    },
  };
}
