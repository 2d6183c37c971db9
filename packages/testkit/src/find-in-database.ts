import { Client } from 'pg';

/** What only the database can tell, read with the rights of its owner. */
export async function queryDatabase<R extends object>(url: string, text: string, values: unknown[] = []): Promise<R[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<R>(text, values)).rows;
  } finally {
    await client.end();
  }
}

interface Column {
  place: string;
  table: string;
  column: string;
  bytes: boolean;
}

/** The columns, as schema.table.column, of any table of any service in which one of these stands, as a part or as a whole. */
export async function findInDatabase(url: string, wanted: readonly (string | Buffer)[]): Promise<string[]> {
  const columns = await queryDatabase<Column>(
    url,
    `SELECT format('%s.%s.%s', c.table_schema, c.table_name, c.column_name) AS place,
            format('%I.%I', c.table_schema, c.table_name) AS table,
            format('%I', c.column_name) AS column,
            c.data_type = 'bytea' AS bytes
     FROM information_schema.columns c
     JOIN information_schema.tables t USING (table_schema, table_name)
     WHERE t.table_type = 'BASE TABLE' AND c.table_schema NOT IN ('pg_catalog', 'information_schema')
     ORDER BY 1`,
  );
  const found: string[] = [];
  for (const { place, table, column, bytes } of columns) {
    const value = bytes ? column : `convert_to(${column}::text, 'UTF8')`;
    const rows = await queryDatabase(
      url,
      `SELECT FROM ${table}, unnest($1::bytea[]) AS wanted (bytes) WHERE position(wanted.bytes IN ${value}) > 0 LIMIT 1`,
      [wanted.map((each) => Buffer.from(each))],
    );
    if (rows.length > 0) found.push(place);
  }
  return found;
}
