import { Client } from 'pg';

type Query = <R extends object>(text: string, values?: unknown[]) => Promise<R[]>;

async function withDatabase<T>(url: string, work: (query: Query) => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return await work(async <R extends object>(text: string, values: unknown[] = []) => {
      const { rows } = await client.query<R>(text, values);
      return rows;
    });
  } finally {
    await client.end();
  }
}

/** Runs a query with the rights of the database's owner. */
export const queryDatabase = <R extends object>(url: string, text: string, values?: unknown[]): Promise<R[]> =>
  withDatabase(url, (query) => query<R>(text, values));

interface Column {
  place: string;
  table: string;
  column: string;
  isBytes: boolean;
}

/** The columns, as schema.table.column, of all services' tables that contain one of these texts. */
export const findInDatabase = (url: string, wanted: readonly (string | Buffer)[]): Promise<string[]> =>
  withDatabase(url, async (query) => {
    const columns = await query<Column>(
      `SELECT format('%s.%s.%s', c.table_schema, c.table_name, c.column_name) AS place,
              format('%I.%I', c.table_schema, c.table_name) AS table,
              format('%I', c.column_name) AS column,
              c.data_type = 'bytea' AS "isBytes"
       FROM information_schema.columns c
       JOIN information_schema.tables t USING (table_schema, table_name)
       WHERE t.table_type = 'BASE TABLE' AND c.table_schema NOT IN ('pg_catalog', 'information_schema')
       ORDER BY 1`,
    );
    const bytes = wanted.map((each) => Buffer.from(each));
    const found: string[] = [];
    for (const { place, table, column, isBytes } of columns) {
      const value = isBytes ? column : `convert_to(${column}::text, 'UTF8')`;
      const rows = await query(
        `SELECT FROM ${table}, unnest($1::bytea[]) AS wanted (bytes) WHERE position(wanted.bytes IN ${value}) > 0 LIMIT 1`,
        [bytes],
      );
      if (rows.length > 0) found.push(place);
    }
    return found;
  });
