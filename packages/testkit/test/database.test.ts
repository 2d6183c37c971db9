import { readFileSync } from 'node:fs';
import { join } from 'node:path';
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

  it('grants outside of its own schema what the documentation says, and nothing else', async () => {
    const granted = await query<{ object: string; role: string; may: string }>(
      identity.adminUrl,
      `SELECT format('%s.%s', n.nspname, c.relname) AS object, r.rolname AS role,
         string_agg(right_.privilege_type, ', ' ORDER BY right_.privilege_type) AS may
       FROM pg_class c
       JOIN pg_namespace n ON n.oid = c.relnamespace
       CROSS JOIN LATERAL aclexplode(c.relacl) AS right_
       LEFT JOIN pg_roles r ON r.oid = right_.grantee
       WHERE n.nspname NOT IN ('pg_catalog', 'information_schema', 'pg_toast') AND right_.grantee <> c.relowner
       GROUP BY 1, 2 ORDER BY 1, 2`,
    );
    const documented = readFileSync(join(__dirname, '../../../docs/architecture.md'), 'utf8')
      .split('\n')
      .map((line) => line.split('|').map((cell) => cell.trim().replaceAll('`', '')))
      .filter(([, object = '']) => object.startsWith('sip.'))
      .map(([, object, role, may]) => ({ object, role, may }));
    expect(granted).toEqual(documented);
  });

  it('keeps databases apart', async () => {
    await query(identity.url, 'CREATE TABLE only_here (id int)');
    await expect(query(billing.adminUrl, 'SELECT * FROM identity.only_here')).rejects.toThrow(/does not exist/);
  });
});
