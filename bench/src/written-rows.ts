import { Client } from 'pg';

/** What was written to the tables of the services between two moments. */
export interface Written {
  tables: WrittenTable[];
  /** Of the whole database. */
  walBytes: number;
  transactions: number;
}

export interface WrittenTable {
  name: string;
  indexes: number;
  inserts: number;
  updates: number;
  /** Updates that wrote no index entry. */
  hotUpdates: number;
  deletes: number;
  /** Entries added to its indexes. */
  indexEntries: number;
  /** Of the table, its indexes and its long values; whole pages, which depend on the checkpoints, are left out. */
  walBytes: number;
}

interface Counters {
  lsn: string;
  transactions: number;
  tables: Map<string, Pick<WrittenTable, 'inserts' | 'updates' | 'hotUpdates' | 'deletes' | 'indexes'>>;
}

const schemas = `'telephony', 'billing', 'webhook', 'extensions', 'identity'`;

/** A partition counts as its table. */
const root = (relation: string): string => `coalesce(pg_partition_root(${relation}), ${relation})`;

/** Reads PostgreSQL's counters, and the write-ahead log itself for what they do not tell. */
export async function openWrittenRows(postgresUrl: string) {
  const sql = new Client({ connectionString: postgresUrl });
  await sql.connect();
  await sql.query('CREATE EXTENSION IF NOT EXISTS pg_walinspect');

  async function read(): Promise<Counters> {
    // Backends report their counters once a second at the latest when they are idle.
    await new Promise((resolve) => setTimeout(resolve, 2_000));
    const { rows: tables } = await sql.query<WrittenTable>(
      `SELECT ${root('relid')}::regclass::text AS name, sum(n_tup_ins)::float8 AS inserts, sum(n_tup_upd)::float8 AS updates,
         sum(n_tup_hot_upd)::float8 AS "hotUpdates", sum(n_tup_del)::float8 AS deletes,
         max((SELECT count(*) FROM pg_index WHERE indrelid = relid))::float8 AS indexes
       FROM pg_stat_user_tables WHERE schemaname IN (${schemas}) GROUP BY 1`,
    );
    const { rows } = await sql.query<{ lsn: string; transactions: number }>(
      `SELECT pg_current_wal_flush_lsn()::text AS lsn, xact_commit::float8 AS transactions
       FROM pg_stat_database WHERE datname = current_database()`,
    );
    return { ...rows[0]!, tables: new Map(tables.map((table) => [table.name, table])) };
  }

  /** By table; a record of several blocks belongs to the first. */
  async function readLog(from: string, to: string) {
    const { rows } = await sql.query<Pick<WrittenTable, 'name' | 'indexEntries' | 'walBytes'>>(
      `WITH owners AS (
         SELECT c.relfilenode, coalesce(i.indrelid, t.oid, c.oid) AS owner
         FROM pg_class c LEFT JOIN pg_index i ON i.indexrelid = c.oid
           LEFT JOIN pg_class t ON t.reltoastrelid = coalesce(i.indrelid, c.oid)
         WHERE c.relfilenode <> 0
       )
       SELECT ${root('owner')}::regclass::text AS name, sum(record_length - coalesce(block_fpi_length, 0))::float8 AS "walBytes",
         count(*) FILTER (WHERE (resource_manager, record_type) IN
           (('Btree', 'INSERT_LEAF'), ('Btree', 'INSERT_POST'), ('Gin', 'INSERT'), ('Gin', 'UPDATE_META_PAGE')))::float8 AS "indexEntries"
       FROM pg_get_wal_block_info($1::pg_lsn, $2::pg_lsn) AS block JOIN owners ON owners.relfilenode = block.relfilenode
         JOIN pg_class ON pg_class.oid = owner AND relnamespace::regnamespace::text IN (${schemas})
       WHERE block_id = 0 AND reldatabase = (SELECT oid FROM pg_database WHERE datname = current_database())
       GROUP BY 1`,
      [from, to],
    );
    const { rows: whole } = await sql.query<{ bytes: number }>(
      'SELECT pg_wal_lsn_diff($2::pg_lsn, $1::pg_lsn)::float8 AS bytes',
      [from, to],
    );
    return { byTable: rows, bytes: whole[0]!.bytes };
  }

  return {
    async during(work: () => Promise<void>): Promise<Written> {
      // Until the next checkpoint, the first write to each page takes the whole page: as little of that as can be.
      await sql.query('CHECKPOINT');
      const before = await read();
      await work();
      const after = await read();
      const log = await readLog(before.lsn, after.lsn);
      const tables = [...after.tables].map(([name, now]) => {
        const then = before.tables.get(name);
        const logged = log.byTable.find((table) => table.name === name);
        return {
          name,
          indexes: now.indexes,
          inserts: now.inserts - (then?.inserts ?? 0),
          updates: now.updates - (then?.updates ?? 0),
          hotUpdates: now.hotUpdates - (then?.hotUpdates ?? 0),
          deletes: now.deletes - (then?.deletes ?? 0),
          indexEntries: logged?.indexEntries ?? 0,
          walBytes: logged?.walBytes ?? 0,
        };
      });
      return { tables, walBytes: log.bytes, transactions: after.transactions - before.transactions };
    },
    query: (text: string, values: unknown[]) => sql.query<{ count: number }>(text, values),
    close: () => sql.end(),
  };
}
