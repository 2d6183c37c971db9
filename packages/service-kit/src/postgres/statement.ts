import type { ClientBase } from 'pg';
import { queryBinary } from './binary/binary-rows';
import type { OnRow } from './binary/binary-rows';
import { abortReason, cancellable } from './cancellation';
import type { Canceller } from './cancellation';

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
