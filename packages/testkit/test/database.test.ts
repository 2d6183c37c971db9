import { Client } from 'pg';
import { createTestDatabase, type TestDatabase } from '../src/database';

async function query<R extends object>(url: string, text: string): Promise<R[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<R>(text)).rows;
  } finally {
    await client.end();
  }
}

describe('createTestDatabase', () => {
  let identity: TestDatabase;
  let billing: TestDatabase;

  beforeAll(async () => {
    [identity, billing] = await Promise.all([createTestDatabase('identity'), createTestDatabase('billing')]);
  });

  afterAll(async () => {
    await Promise.all([identity.drop(), billing.drop()]);
  });

  it('gives the role of the service with its own schema, migrated', async () => {
    const [session] = await query<{ role: string; schema: string }>(
      identity.url,
      'SELECT current_user AS role, current_schema() AS schema',
    );
    expect(session).toEqual({ role: 'sabia_identity', schema: 'identity' });
    const [migrations] = await query<{ count: number }>(
      identity.url,
      'SELECT count(*)::int AS count FROM schema_migrations',
    );
    expect(migrations?.count).toBeGreaterThan(0);
  });

  it('holds the schemas of all services, none readable by another', async () => {
    await expect(query(identity.url, 'SELECT * FROM billing.schema_migrations')).rejects.toThrow(/permission denied/);
    await expect(query(identity.adminUrl, 'SELECT * FROM billing.schema_migrations')).resolves.not.toHaveLength(0);
  });

  it('keeps databases apart', async () => {
    await query(identity.url, 'CREATE TABLE only_here (id int)');
    await expect(query(billing.adminUrl, 'SELECT * FROM identity.only_here')).rejects.toThrow(/does not exist/);
  });
});
