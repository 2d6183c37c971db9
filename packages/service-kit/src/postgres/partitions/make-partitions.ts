import type { Database, Queryable } from '../database';
import { monthFrom } from './months';
import { firstIdOf, momentOf } from './time-in-ids';

// Tables whose rows are found by a version 7 uuid can be partitioned by it: these are in the order of time, so a partition is a month.
// There is no partition for what fits in none: with one, PostgreSQL could not read the others in the order of their ids.

export interface PartitionedTable {
  name: string;
  /** What the names of its partitions begin with, if not with its own. */
  prefix?: string;
  /** Storage parameters of its partitions. */
  fillfactor: number;
}

export interface Partition {
  name: string;
  /** Of all its ids, and of those of the next partition, the first. */
  until: Date;
  /** New statements no longer find it by the table, but some that began before may still read it. */
  isLeaving: boolean;
}

/** Longer than a statement takes. */
const LOCK_TIMEOUT = '2s';

/** By time. Undefined: the table is not partitioned. */
export async function listPartitions(queryable: Queryable, table: string): Promise<Partition[] | undefined> {
  const rows = await queryable.query<{ name: string | null; until: string | null; isLeaving: boolean }>(
    `SELECT child.relname AS name, substring(pg_get_expr(child.relpartbound, child.oid) FROM 'TO \\(''([0-9a-f-]{36})''\\)') AS until,
       inhdetachpending AS "isLeaving"
     FROM pg_class AS parent LEFT JOIN pg_inherits ON inhparent = parent.oid LEFT JOIN pg_class AS child ON child.oid = inhrelid
     WHERE parent.oid = to_regclass($1) AND parent.relkind = 'p'`,
    [table],
  );
  const partitions = rows.flatMap(({ name, until, isLeaving }) =>
    name === null || until === null ? [] : [{ name, until: momentOf(until), isLeaving }],
  );
  return rows.length === 0 ? undefined : partitions.sort((one, other) => one.until.getTime() - other.until.getTime());
}

/** Makes the partitions of the months to come, from where those that are there end; returns their names. One replica at a time. */
export async function makePartitions(
  database: Database,
  { name: table, prefix = table, fillfactor }: PartitionedTable,
  { now, months }: { now: Date; months: number },
): Promise<string[]> {
  return database.transaction(async (tx) => {
    await lockPartitions(tx, table);
    const made: string[] = [];
    let from = (await listPartitions(tx, table))?.at(-1)?.until;
    while (from !== undefined && from < monthFrom(now, months + 1)) {
      const until = monthFrom(from, 1);
      const name = `${prefix}_${from.toISOString().slice(0, 7).replace('-', '_')}`;
      // Made beside the table and then attached: that locks nobody out, as PARTITION OF would.
      await tx.query(
        `CREATE TABLE ${name} (LIKE ${table} INCLUDING DEFAULTS INCLUDING CONSTRAINTS) WITH (fillfactor = ${fillfactor})`,
      );
      await tx.query(
        `ALTER TABLE ${table} ATTACH PARTITION ${name} FOR VALUES FROM ('${firstIdOf(from)}') TO ('${firstIdOf(until)}')`,
      );
      made.push(name);
      from = until;
    }
    return made;
  });
}

/** Waits for whoever makes or drops partitions of the table, and until the end of the transaction nobody else does. */
export async function lockPartitions(tx: Queryable, table: string): Promise<void> {
  await tx.query(`SELECT set_config('lock_timeout', $1, true), pg_advisory_xact_lock(${turnOf('$2')})`, [
    LOCK_TIMEOUT,
    table,
  ]);
}

/** SQL: the key of an advisory lock. Whoever holds it is the only one who makes or drops partitions of the table. */
export const turnOf = (table: string): string => `hashtextextended('partitions of ' || ${table}::text, 0)`;
