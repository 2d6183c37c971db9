import type { Database, Queryable } from '@sabia/service-kit/postgres/database';
import { lockPartitions } from '@sabia/service-kit/postgres/partitions/make-partitions';

// ledger_entries is ranges of the ids of movements. They are kept: money has no end.

/** The movements of a range; as many are ahead of the newest one, at least, whenever the next range is made. */
export const RANGE = 100_000_000;

/** Makes the ranges of the movements to come, from where those that are there end; returns their names. One replica at a time. */
export async function makeLedgerRanges(database: Database, size = RANGE): Promise<string[]> {
  return database.transaction(async (tx) => {
    await lockPartitions(tx, 'ledger_entries');
    const { last, end } = await readEnds(tx);
    const made: string[] = [];
    for (let from = end; from <= last + size; from += size) {
      made.push(await makeRange(tx, from, from + size));
    }
    return made;
  });
}

/** The id of the newest movement, and the least id for which there is no range; none while the table is not partitioned. */
async function readEnds(tx: Queryable): Promise<{ last: number; end: number }> {
  const [ends] = await tx.query<{ last: number; end: number | null }>(
    `SELECT coalesce(pg_sequence_last_value(pg_get_serial_sequence('ledger_transactions', 'id')::regclass), 0) AS last,
       max(substring(pg_get_expr(relpartbound, oid) FROM 'TO \\(''(\\d+)''\\)')::bigint) AS "end"
     FROM pg_inherits JOIN pg_class ON oid = inhrelid WHERE inhparent = 'ledger_entries'::regclass`,
  );
  const { last = 0, end } = ends ?? {};
  return { last, end: end ?? Infinity };
}

/** With the triggers and rights of the table: these count for statements that name the table, and not for those that name a range. */
async function makeRange(tx: Queryable, from: number, until: number): Promise<string> {
  const name = `ledger_entries_from_${from}`;
  await tx.query(`CREATE TABLE ${name} (LIKE ledger_entries INCLUDING DEFAULTS INCLUDING CONSTRAINTS)`);
  await tx.query(
    `CREATE TRIGGER ledger_entries_balanced AFTER INSERT ON ${name}
       REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION check_ledger_entries()`,
  );
  await tx.query(
    `CREATE TRIGGER ledger_entries_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON ${name}
       FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()`,
  );
  await tx.query(`REVOKE UPDATE, DELETE, TRUNCATE ON ${name} FROM CURRENT_USER`);
  await tx.query(`ALTER TABLE ledger_entries ATTACH PARTITION ${name} FOR VALUES FROM (${from}) TO (${until})`);
  return name;
}
