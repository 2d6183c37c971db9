import type { Queryable } from './queryable';
import { firstIdOf } from './partitions/time-in-ids';

/** A log with an end. Its key begins with the time at which a row was made (a version 7 uuid), and an index begins with the key. */
export interface AgingTable {
  name: string;
  key: string;
  /** The time from which a row's age counts, not earlier than the one in its key; null for a row that may not go. */
  since: string;
}

const chunk = 5_000;
const firstKey = '00000000-0000-0000-0000-000000000000';

/**
 * Deletes rows that are older than the time, in chunks, each a short transaction of its own, until the signal aborts; returns their
 * number. They are walked in the order of their keys, so that a chunk costs what is in it: an index of blocks by time, such as BRIN,
 * would find new rows in the gaps of deleted ones, and lead through the whole table. Several replicas may do this at once.
 */
export async function removeOlder(
  db: Queryable,
  { name, key, since }: AgingTable,
  before: Date,
  signal?: AbortSignal,
): Promise<number> {
  let removed = 0;
  let from = firstKey;
  while (signal?.aborted !== true) {
    const [done] = await db.query<{ looked: number; gone: number; last: string | null }>(
      `WITH old AS MATERIALIZED (
         SELECT ctid AS place, ${key} AS key FROM ${name} WHERE ${key} >= $1 AND ${key} < $2 ORDER BY ${key} LIMIT ${chunk}
       ), gone AS (
         DELETE FROM ${name} WHERE ctid = ANY (ARRAY(SELECT place FROM old)) AND ${since} < $3 RETURNING 1
       )
       SELECT (SELECT count(*) FROM old) AS looked, (SELECT count(*) FROM gone) AS gone,
         (SELECT key FROM old ORDER BY key DESC LIMIT 1) AS last`,
      [from, firstIdOf(before), before],
    );
    const { looked = 0, gone = 0, last = null } = done ?? {};
    removed += gone;
    // Many rows with one key may all have to stay.
    const isStuck = gone === 0 && last === from;
    if (looked < chunk || last === null || isStuck) {
      return removed;
    }
    from = last;
  }
  return removed;
}
