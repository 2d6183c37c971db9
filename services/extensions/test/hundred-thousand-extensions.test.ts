import { createNext, newAccount, openHome } from './harness';
import type { Home, RunningExtensions } from './harness';

let home: Home;
let service: RunningExtensions;
const { admin, accountId, domain } = newAccount();

beforeAll(async () => {
  home = await openHome();
  service = await home.start();
  const { id } = await createNext(service.as(admin));
  await home.sql.query(
    `INSERT INTO extensions (account_id, domain, ramal, senha_sealed, senha_key_id, ha1, first_name, last_name,
       email_address, gravar_audio, bina, registration_changed_at, created_at, updated_at)
     SELECT $1, $2, n::text, e.senha_sealed, e.senha_key_id, e.ha1, 'Nome ' || n, 'Sobrenome ' || n % 997,
       'u' || n || '@example.com', false, '5511' || n, now(), now(), now()
     FROM extensions e, generate_series(1001, 100999) n WHERE e.id = $3`,
    [accountId, domain, id],
  );
  await home.admin.query('ANALYZE extensions.extensions');
});

afterAll(async () => {
  await service?.stop();
  await home?.close();
});

const planOf = async (statement: string): Promise<string> => {
  const lines = await home.admin.query<{ 'QUERY PLAN': string }>(`EXPLAIN ${statement}`);
  return lines.map((line) => line['QUERY PLAN']).join('\n');
};

test.each(['node_endpoints', 'node_aors'])('Asterisk finds one of %s through an index', async (view) => {
  const statement = `SELECT * FROM sip.${view} WHERE id = '50000@${domain}'`;
  const plan = await planOf(statement);
  expect(plan).toMatch(/Index (Only )?Scan using extensions_sip_id_key/);
  expect(plan).not.toMatch(/Seq Scan on extensions/);
  expect(await home.admin.query(statement)).toHaveLength(1);
});

test('an edge finds the digest of a password through an index', async () => {
  const plan = await planOf(`SELECT ha1 FROM sip.edge_users WHERE username = '50000' AND domain = '${domain}'`);
  expect(plan).toMatch(/Index (Only )?Scan/);
  expect(plan).not.toMatch(/Seq Scan/);
});

test.each([
  ['ramal', `ramal = '50000'`],
  ['bina', `bina = '551150000'`],
  ['first_name', `first_name = 'Nome 50000'`],
  ['last_name', `last_name = 'Sobrenome 150'`],
  ['email_address', `email_address = 'u50000@example.com'`],
  ['registered', 'registered = true'],
  ['gravar_audio', 'gravar_audio = true'],
  ['registered_at', `registered_at > now() - interval '1 day'`],
  ['no field at all', 'true'],
])('a list by %s goes through an index', async (_field, condition) => {
  const plan = await planOf(
    `SELECT * FROM extensions.extensions WHERE account_id = ${accountId} AND ${condition} ORDER BY id LIMIT 50`,
  );
  expect(plan).not.toMatch(/Seq Scan/);
});

test('a list answers a thousand at most, and finds one by any field', async () => {
  const list = async (filter: object) => {
    const { extensions } = await service.as(admin).listExtensions({ filter: JSON.stringify(filter) });
    return extensions;
  };
  const all = await list({ limit: 5000 });
  expect(all).toHaveLength(1000);
  expect(all.at(-1)).toMatchObject({ ramal: '1999', senha: 'segredo-numero-1' });
  for (const where of [
    { ramal: '50000' },
    { first_name: 'Nome 50000' },
    { email_address: 'u50000@example.com' },
    { bina: '551150000' },
    { last_name: 'Sobrenome 150', ramal: { gt: '5' } },
  ]) {
    expect((await list({ where, limit: 50 })).map(({ ramal }) => ramal)).toContain('50000');
  }
});

test('the next number comes as fast as with none', async () => {
  const few = newAccount();
  const time = async (caller: typeof admin): Promise<number> => {
    const startedAt = performance.now();
    await createNext(service.as(caller));
    return performance.now() - startedAt;
  };
  const withFew: number[] = [];
  const withMany: number[] = [];
  for (let count = 0; count < 50; count += 1) {
    withFew.push(await time(few.admin));
    withMany.push(await time(admin));
  }
  // To look at every taken number would cost tens of milliseconds each time; what else the machine has to do does not.
  expect(Math.min(...withMany)).toBeLessThan(Math.min(...withFew) * 3 + 10);
  expect((await createNext(service.as(admin))).ramal).toBe('101050');
});
