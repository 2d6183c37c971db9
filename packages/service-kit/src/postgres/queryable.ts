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
}

export interface Transaction extends Queryable {
  /** Called once the transaction is committed, never when it is rolled back. */
  afterCommit(callback: () => void): void;
}
