import { Client } from 'pg';
import type { Pool } from 'pg';
import type { BenchStack } from './stack';

/** Does something in the database of a stack, past its services. */
export async function withDatabase<T>(
  { postgresUrl }: Pick<BenchStack, 'postgresUrl'>,
  work: (client: Client) => Promise<T>,
): Promise<T> {
  const client = new Client({ connectionString: postgresUrl });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

export async function hasRelation(database: Pool, name: string): Promise<boolean> {
  const { rows } = await database.query<{ found: boolean }>('SELECT to_regclass($1) IS NOT NULL AS found', [name]);
  return rows[0]!.found;
}
