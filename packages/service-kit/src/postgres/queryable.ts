import type { OnRow } from './binary-rows';

export interface QueryOptions {
  /** A prepared statement, planned once per connection. One name, one text. */
  name?: string;
}

export interface Queryable {
  query<R extends object = Record<string, unknown>>(
    text: string,
    values?: readonly unknown[],
    options?: QueryOptions,
  ): Promise<R[]>;
  /** For many rows that go on as they are: each is handed over as it comes, in binary form, and nothing is made of it. */
  scan(text: string, values: readonly unknown[], onRow: OnRow, options?: QueryOptions): Promise<void>;
}

export interface Transaction extends Queryable {
  /** Called once the transaction is committed, never when it is rolled back. */
  afterCommit(callback: () => void): void;
}
