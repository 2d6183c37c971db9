import { Pool } from 'pg';
import type { PoolClient, PoolConfig } from 'pg';
import type { Logger } from '../logging';
import { currentScope } from '../request-scope';
import { BinaryClient } from './binary/binary-rows';
import { isConnectionSpent, toDatabaseError } from './errors';
import type { Queryable, Transaction } from './queryable';
import { createShares } from './shares';
import { acquire, createCanceller, rowsOf, runStatement, scanOf, typeParsers } from './statement';
import type { Canceller, Run } from './statement';
import { createTransaction } from './transaction';

export type { QueryOptions, Queryable, Transaction } from './queryable';

export interface Database extends Queryable {
  /** Commits when the work resolves, rolls back when it rejects or when the request has been cancelled meanwhile. */
  transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T>;
  /**
   * Statements on one connection, each a transaction of its own: for those that PostgreSQL refuses within one, such as DETACH
   * PARTITION CONCURRENTLY. The connection is closed afterwards, and with it ends what they have set and locked.
   */
  session<T>(work: (session: Queryable) => Promise<T>): Promise<T>;
  /**
   * For reads that take the longer the more an account has stored. Each account has a part of the connections for them:
   * `growing` ones run on the connections of all other statements, `costly` ones on a few of their own, one statement at a time.
   */
  read<T>(cost: ReadCost, read: (reader: Queryable) => Promise<T>): Promise<T>;
  /** Rejects unless PostgreSQL answers; uses a connection of its own, so that a busy pool does not look like an outage. */
  check(): Promise<void>;
  close(): Promise<void>;
}

export type ReadCost = 'growing' | 'costly';

export interface DatabaseOptions {
  url: string;
  applicationName: string;
  poolSize: number;
  /** Connections for costly reads, beside those of the pool. */
  costlyPoolSize?: number;
  log: Logger;
  /** Makes `scan` work; its clients replace how pg takes rows apart. */
  binaryRows?: boolean;
  statementTimeoutMs?: number;
  connectionTimeoutMs?: number;
}

/** Longer than any statement may take, so that a server that fell silent is noticed too. */
const silenceAllowanceMs = 5_000;
const idleInTransactionLimitMs = 60_000;

/**
 * Prepared statements keep the plan of their first runs. One that was made while a table, or the partition of a new month, was empty
 * would go on to read all of it. A scan that cannot be avoided looks so expensive then that PostgreSQL would compile it. Of a large table
 * it expects far more matches than there are, and would start workers for them, each of which costs more than to find what is asked for;
 * and a read counts as one connection.
 */
const plannerSettings = '-c enable_seqscan=off -c jit=off -c max_parallel_workers_per_gather=0';

/**
 * New entries of a GIN index gather in a list that every search reads to its end, until whoever makes it longer than this merges it. A
 * list of the usual 4 MB costs a search more than 2 ms, and an insert that merges it half a second.
 */
const writerSettings = '-c gin_pending_list_limit=256kB';

export function createDatabase(options: DatabaseOptions): Database {
  const { log, poolSize, costlyPoolSize = 2, statementTimeoutMs = 30_000, connectionTimeoutMs = 5_000 } = options;
  const config: PoolConfig = {
    connectionString: options.url,
    application_name: options.applicationName,
    connectionTimeoutMillis: connectionTimeoutMs,
    statement_timeout: statementTimeoutMs,
    query_timeout: statementTimeoutMs + silenceAllowanceMs,
    idle_in_transaction_session_timeout: idleInTransactionLimitMs,
    options: `${plannerSettings} ${writerSettings}`,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    types: typeParsers,
  };
  const clients = options.binaryRows === true ? { Client: BinaryClient } : {};
  const pool = openPool({ ...config, ...clients, max: poolSize, idleTimeoutMillis: 30_000 }, log);
  const costlyPool = openPool(
    {
      ...config,
      ...clients,
      max: costlyPoolSize,
      idleTimeoutMillis: 10_000,
      application_name: `${options.applicationName} costly`,
    },
    log,
  );
  const control = openPool(
    {
      ...config,
      max: 2,
      idleTimeoutMillis: 10_000,
      application_name: `${options.applicationName} control`,
      statement_timeout: connectionTimeoutMs,
      query_timeout: connectionTimeoutMs,
    },
    log,
  );
  const canceller = createCanceller(control, log);
  const growingReads = createShares({ places: Infinity, perAccount: Math.max(1, Math.floor(poolSize / 4)) });
  const costlyReads = createShares({ places: costlyPoolSize, perAccount: Math.max(1, Math.floor(costlyPoolSize / 2)) });

  const runOnce = <T>(run: Run<T>): Promise<T> => {
    const signal = currentScope()?.signal;
    return withClient(pool, signal, (client) => runStatement(client, run, signal, canceller));
  };

  const reader = queryableOf(runOnce);

  return {
    ...reader,

    transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
      return runTransaction(pool, canceller, log, work);
    },

    session<T>(work: (session: Queryable) => Promise<T>): Promise<T> {
      const signal = currentScope()?.signal;
      const useOnce = (client: PoolClient): Promise<T> =>
        work(queryableOf((run) => runStatement(client, run, signal, canceller)));
      return withClient(pool, signal, useOnce, { isClosed: true });
    },

    read<T>(cost: ReadCost, read: (reader: Queryable) => Promise<T>): Promise<T> {
      const { signal, caller } = currentScope() ?? {};
      const accountId = caller?.accountId ?? 0;
      return cost === 'growing'
        ? growingReads.run(accountId, signal, () => read(reader))
        : costlyReads.run(accountId, signal, () => runTransaction(costlyPool, canceller, log, read));
    },

    async check() {
      await withClient(control, undefined, (client) => client.query('SELECT 1'));
    },

    async close() {
      await Promise.all([pool.end(), costlyPool.end(), control.end()]);
    },
  };
}

function openPool(config: PoolConfig, log: Logger): Pool {
  const pool = new Pool(config);
  pool.on('error', (error) => log.warn({ err: error }, 'an idle database connection was lost'));
  // While a client is checked out the pool does not listen, and an unhandled error event would end the process.
  pool.on('connect', (client) => client.on('error', () => undefined));
  return pool;
}

const queryableOf = (runOn: <T>(run: Run<T>) => Promise<T>): Queryable => ({
  query: (text, values, options) => runOn(rowsOf({ text, values, name: options?.name })),
  scan: (text, values, onRow, options) => runOn(scanOf({ text, values, name: options?.name }, onRow)),
});

async function runTransaction<T>(
  pool: Pool,
  canceller: Canceller,
  log: Logger,
  work: (tx: Transaction) => Promise<T>,
): Promise<T> {
  const signal = currentScope()?.signal;
  const { result, callbacks } = await withClient(pool, signal, async (client) => {
    const transaction = createTransaction(client, signal, canceller);
    return transaction.run(work);
  });
  for (const callback of callbacks) {
    try {
      callback();
    } catch (error) {
      log.error({ err: error }, 'a callback after commit failed');
    }
  }
  return result;
}

async function withClient<T>(
  pool: Pool,
  signal: AbortSignal | undefined,
  use: (client: PoolClient) => Promise<T>,
  { isClosed = false } = {},
): Promise<T> {
  let client: PoolClient | undefined;
  let spent = false;
  try {
    client = await acquire(pool, signal);
    return await use(client);
  } catch (error) {
    spent = isConnectionSpent(error);
    throw toDatabaseError(error);
  } finally {
    client?.release(isClosed || spent || client.getTransactionStatus() !== 'I');
  }
}
