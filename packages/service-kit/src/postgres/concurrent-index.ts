import type { Client } from 'pg';
import type { ConcurrentIndex } from './migration-files';

const longestName = 63;

/** Makes an index while others write to its table. What an attempt that failed has left of it is removed first. */
export async function makeConcurrently(client: Client, { name, table, definition }: ConcurrentIndex): Promise<void> {
  const partitions = await listPartitions(client, table);
  if (partitions === undefined) {
    await makeOne(client, { name, table, definition });
    return;
  }
  // PostgreSQL makes no index of a partitioned table concurrently: each partition gets its own, which together are that of the table.
  await briefly(client, `DROP INDEX IF EXISTS ${name}`);
  await briefly(client, `CREATE INDEX ${name} ON ONLY ${table} ${definition}`);
  for (const partition of partitions) {
    const own = `${partition}_${name}`.slice(0, longestName);
    await makeOne(client, { name: own, table: partition, definition });
    await briefly(client, `ALTER INDEX ${name} ATTACH PARTITION ${own}`);
  }
}

/** Statements that keep writers out while they wait for a lock: they give up soon, and the migration is run again. */
async function briefly(client: Client, statement: string): Promise<void> {
  await client.query(`SET lock_timeout = '3s'`);
  await client.query(statement);
  await client.query('SET lock_timeout = 0');
}

async function makeOne(client: Client, { name, table, definition }: ConcurrentIndex): Promise<void> {
  await client.query(`DROP INDEX CONCURRENTLY IF EXISTS ${name}`);
  await client.query(`CREATE INDEX CONCURRENTLY ${name} ON ${table} ${definition}`);
}

/** Undefined: the table is not partitioned. */
async function listPartitions(client: Client, table: string): Promise<string[] | undefined> {
  const { rows } = await client.query<{ name: string | null }>(
    `SELECT child.relname AS name
     FROM pg_class AS parent LEFT JOIN pg_inherits ON inhparent = parent.oid LEFT JOIN pg_class AS child ON child.oid = inhrelid
     WHERE parent.oid = to_regclass($1) AND parent.relkind = 'p' ORDER BY 1`,
    [table],
  );
  return rows.length === 0 ? undefined : rows.flatMap(({ name }) => name ?? []);
}
