import type { Database, Queryable } from '../database';
import { listPartitions, turnOf } from './make-partitions';
import type { Partition, PartitionedTable } from './make-partitions';

// A partition is dropped in steps that nobody else waits for. It is marked and detached while others use the table: new statements
// no longer find its rows, and PostgreSQL waits for those that may still read them. Then it is a table that nobody knows of, which is
// looked at and dropped. Each step begins with what is there: one that failed is taken up the next time, by whichever replica.

export interface Dropping {
  before: Date;
  /** What has to go before the partition does; false: it has to stay for now. May be repeated. */
  prepare?: (partition: Partition) => Promise<boolean>;
  /** Looks at the table that was the partition, which nobody writes to any more; returns what has to change together with its end. */
  conclude?: (session: Queryable, name: string) => Promise<(tx: Queryable) => Promise<void>>;
}

/** For each statement that may still read the partition. Longer than most take; the next time is in minutes. */
const LOCK_TIMEOUT = '5s';
/** The comment on tables that are to be dropped. Others that were partitions were detached by hand, and stay. */
const MARK = 'to be dropped by Sabiá';

/** Drops the partitions all of whose ids are from before, the oldest first, after any whose drop was begun; returns their names. */
export function dropPartitions(
  database: Database,
  { name: table, prefix = table }: PartitionedTable,
  { before, prepare = () => Promise.resolve(true), conclude }: Dropping,
): Promise<string[]> {
  return database.session(async (session) => {
    await takeTurn(session, table);
    const dropped: string[] = [];
    for (;;) {
      const detached = await findDetached(session, prefix);
      if (detached === undefined) {
        const partition = await findNext(session, table);
        const isOver = partition !== undefined && partition.until <= before;
        if (partition?.isLeaving !== true && !(isOver && (await prepare(partition)))) {
          return dropped;
        }
        await detach(session, table, partition);
      } else {
        const change = await conclude?.(session, detached);
        await database.transaction(async (tx) => {
          await tx.query(`DROP TABLE ${detached}`);
          await change?.(tx);
        });
        dropped.push(detached);
      }
    }
  });
}

async function takeTurn(session: Queryable, table: string): Promise<void> {
  await session.query(`SELECT set_config('lock_timeout', $1, false), pg_advisory_lock(${turnOf('$2')})`, [
    LOCK_TIMEOUT,
    table,
  ]);
}

async function findDetached(session: Queryable, prefix: string): Promise<string | undefined> {
  const [detached] = await session.query<{ name: string }>(
    `SELECT relname AS name FROM pg_class
     WHERE relkind = 'r' AND NOT relispartition AND pg_table_is_visible(oid) AND starts_with(relname, $1)
       AND obj_description(oid, 'pg_class') = $2 ORDER BY relname LIMIT 1`,
    [`${prefix}_`, MARK],
  );
  return detached?.name;
}

/** No other can be detached before the one that is leaving. */
async function findNext(session: Queryable, table: string): Promise<Partition | undefined> {
  const partitions = (await listPartitions(session, table)) ?? [];
  return partitions.find(({ isLeaving }) => isLeaving) ?? partitions[0];
}

async function detach(session: Queryable, table: string, { name, isLeaving }: Partition): Promise<void> {
  if (!isLeaving) {
    await session.query(`COMMENT ON TABLE ${name} IS '${MARK}'`);
  }
  await session.query(`ALTER TABLE ${table} DETACH PARTITION ${name} ${isLeaving ? 'FINALIZE' : 'CONCURRENTLY'}`);
}
