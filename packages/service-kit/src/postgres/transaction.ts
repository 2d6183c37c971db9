import type { ClientBase } from 'pg';
import { abortReason } from './cancellation';
import type { Canceller } from './cancellation';
import { toDatabaseError } from './errors';
import type { QueryOptions, Transaction } from './queryable';
import { runStatement } from './statement';

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

  const tx: Transaction = {
    query<R extends object>(text: string, values?: readonly unknown[], options?: QueryOptions): Promise<R[]> {
      if (over) {
        return Promise.reject(new Error('This transaction is over; a query of it was not awaited.'));
      }
      const statement = { text, values, name: options?.name };
      const rows = last.then(async () => {
        try {
          const result = await runStatement<R>(client, statement, signal, canceller);
          return result.rows;
        } catch (error) {
          throw toDatabaseError(error);
        }
      });
      last = rows.catch(() => undefined);
      return rows;
    },
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
