import { Client } from 'pg';
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
