import type { OnRow } from './binary/binary-rows';

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
  /** Hands over each row as it arrives, in PostgreSQL's binary form; for a database with `binaryRows` only. */
  scan(text: string, values: readonly unknown[], onRow: OnRow, options?: QueryOptions): Promise<void>;
}

export interface Transaction extends Queryable {
  /** Called once the transaction is committed, never when it is rolled back. */
  afterCommit(callback: () => void): void;
}
