import type { ClientBase, QueryResult } from 'pg';
import { abortReason, cancellable } from './cancellation';
import type { Canceller } from './cancellation';

export interface Statement {
  text: string;
  values?: readonly unknown[];
  name?: string;
}

export async function runStatement<R extends object>(
  client: ClientBase,
  { text, values, name }: Statement,
  signal: AbortSignal | undefined,
  canceller: Canceller,
): Promise<QueryResult<R>> {
  const run = (): Promise<QueryResult<R>> => client.query<R>({ text, values: values as unknown[] | undefined, name });
  if (signal === undefined) {
    return run();
  }
  if (signal.aborted) {
    throw abortReason(signal);
  }
  return cancellable(client, signal, canceller, run);
}
