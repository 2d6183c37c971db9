import type { Database } from '@sabia/service-kit/postgres/database';

/** As if the first range ended there. Before there are any movements. */
export async function endFirstRange(database: Database, end: number): Promise<void> {
  await database.query('ALTER TABLE ledger_entries DETACH PARTITION ledger_entries_before');
  await database.query(
    `ALTER TABLE ledger_entries ATTACH PARTITION ledger_entries_before FOR VALUES FROM (MINVALUE) TO (${end})`,
  );
}
