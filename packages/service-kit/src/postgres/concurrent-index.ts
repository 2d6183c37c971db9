import type { Client } from 'pg';
import type { ConcurrentIndex } from './migration-files';

const longestName = 63;

/** Runs a statement that keeps writers out while it waits for a lock: it gives up soon, and is tried again. */
export type Briefly = (statement: string) => Promise<void>;

/** Makes an index while others write to its table. An attempt that failed is gone on with. */
export async function makeConcurrently(
  client: Client,
  { name, table, definition }: ConcurrentIndex,
  briefly: Briefly,
): Promise<void> {
  if (!(await isPartitioned(client, table))) {
    await makeOne(client, { name, table, definition });
    return;
  }
  // PostgreSQL makes no index of a partitioned table concurrently: each partition gets its own, which together are that of the table.
  await briefly(`CREATE INDEX IF NOT EXISTS ${name} ON ONLY ${table} ${definition}`);
  // Partitions may go meanwhile; those that come have the index from the start.
  for (;;) {
    const partition = await findPartitionWithout(client, name, table);
    if (partition === undefined) return;
    const own = `${partition}_${name}`.slice(0, longestName);
    await makeOne(client, { name: own, table: partition, definition });
    await briefly(`ALTER INDEX ${name} ATTACH PARTITION ${own}`);
  }
}

/** Waits for old transactions, which keeps nobody out. */
async function makeOne(client: Client, { name, table, definition }: ConcurrentIndex): Promise<void> {
  const made = await client.query('SELECT FROM pg_index WHERE indexrelid = to_regclass($1) AND indisvalid', [name]);
  if (made.rows.length > 0) return;
  const { rows } = await client.query<{ lock_timeout: string }>('SHOW lock_timeout');
  await client.query('SET lock_timeout = 0');
  try {
    await client.query(`DROP INDEX CONCURRENTLY IF EXISTS ${name}`);
    await client.query(`CREATE INDEX CONCURRENTLY ${name} ON ${table} ${definition}`);
  } finally {
    await client.query(`SET lock_timeout = '${rows[0]!.lock_timeout}'`);
  }
}

async function isPartitioned(client: Client, table: string): Promise<boolean> {
  const { rows } = await client.query(`SELECT FROM pg_class WHERE oid = to_regclass($1) AND relkind = 'p'`, [table]);
  return rows.length > 0;
}

/** A partition that has no part of the index yet. */
async function findPartitionWithout(client: Client, name: string, table: string): Promise<string | undefined> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT relname AS name FROM pg_inherits AS partition JOIN pg_class ON pg_class.oid = partition.inhrelid
     WHERE partition.inhparent = to_regclass($2) AND NOT partition.inhdetachpending AND NOT EXISTS (
       SELECT FROM pg_index JOIN pg_inherits AS part ON part.inhrelid = indexrelid
       WHERE indrelid = partition.inhrelid AND part.inhparent = to_regclass($1)
     ) ORDER BY 1 LIMIT 1`,
    [name, table],
  );
  return rows[0]?.name;
}
