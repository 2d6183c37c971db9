import { createHash } from 'node:crypto';
import { ErrorKind } from '@sabia/protos/sabia/api/v1/error';
import { refusal } from '@sabia/testkit/refused-rpc';
import { create, goodFields, newAccount, openHome } from './harness';
import type { Home, RunningExtensions } from './harness';

let home: Home;
let service: RunningExtensions;

beforeAll(async () => {
  home = await openHome();
  service = await home.start();
});

afterAll(async () => {
  await service?.stop();
  await home?.close();
});

test('answers every field', async () => {
  const { admin, domain } = newAccount();
  const { extension } = await service.as(admin).createExtension({
    ramal: '2000',
    senha: 'sênha com espaço',
    bina: '(11) 4002-8922',
    first_name: ' Ana ',
    last_name: 'Souza',
    email_address: 'Ana@Example.com',
    gravar_audio: true,
  });
  expect(extension).toEqual({
    id: expect.any(Number),
    domain,
    ramal: '2000',
    senha: 'sênha com espaço',
    bina: '(11) 4002-8922',
    first_name: 'Ana',
    last_name: 'Souza',
    email_address: 'Ana@Example.com',
    gravar_audio: true,
    name: 'Ana Souza',
    registered: false,
    registered_at: undefined,
  });
});

test('bina and gravar_audio may be left out', async () => {
  const { admin } = newAccount();
  const extension = await create(service.as(admin), { ramal: '2000' });
  expect(extension).toMatchObject({ bina: undefined, gravar_audio: false });
});

test('needs a caller', async () => {
  expect(await refusal(service.as(undefined).createExtension({ ...goodFields, ramal: '2000' }))).toMatchObject({
    kind: ErrorKind.UNAUTHENTICATED,
    code: 'AUTHORIZATION_REQUIRED',
  });
});

describe('refusals', () => {
  test('name all fields at once', async () => {
    const { admin } = newAccount();
    const blank = { senha: '', first_name: '', last_name: '', email_address: '' };
    expect(await refusal(service.as(admin).createExtension(blank))).toMatchObject({
      kind: ErrorKind.VALIDATION,
      code: 'VALIDATION_ERROR',
      codes: {
        ramal: 'presence',
        senha: 'presence',
        first_name: 'presence',
        last_name: 'presence',
        email_address: 'presence',
      },
    });
  });

  test('also a number that is taken, beside what else is wrong', async () => {
    const { admin } = newAccount();
    await create(service.as(admin), { ramal: '2000' });
    const refused = await refusal(service.as(admin).createExtension({ ...goodFields, ramal: '2000', senha: '123' }));
    expect(refused.codes).toEqual({ senha: 'length', ramal: 'uniqueness' });
  });

  test('a number that is taken', async () => {
    const { admin, ana } = newAccount();
    await create(service.as(admin), { ramal: '2000' });
    const refused = await refusal(create(service.as(ana), { ramal: '2000' }));
    expect(refused).toMatchObject({ kind: ErrorKind.VALIDATION, codes: { ramal: 'uniqueness' } });
    expect(refused.message).toMatch(/"ramal" already exists/);
  });

  test('the same number wanted twenty times at once is given once', async () => {
    const { admin } = newAccount();
    const attempts = await Promise.allSettled(
      Array.from({ length: 20 }, () => create(service.as(admin), { ramal: '2000' })),
    );
    expect(attempts.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const attempt of attempts) {
      if (attempt.status === 'rejected') {
        expect(attempt.reason).toMatchObject({ kind: ErrorKind.VALIDATION });
      }
    }
  });

  test('leave nothing behind', async () => {
    const { admin, accountId } = newAccount();
    await refusal(service.as(admin).createExtension({ ...goodFields, ramal: '1000', bina: 'x' }));
    expect(await home.sql.query('SELECT id FROM extensions WHERE account_id = $1', [accountId])).toEqual([]);
  });
});

test('two accounts may have the same number', async () => {
  const one = newAccount();
  const other = newAccount();
  const first = await create(service.as(one.admin), { ramal: '2000' });
  const second = await create(service.as(other.admin), { ramal: '2000' });
  expect(first.id).not.toBe(second.id);
  expect([first.domain, second.domain]).toEqual([one.domain, other.domain]);
});

describe('who sees the senha', () => {
  test('an ADMIN and the USER whose e-mail it carries, in any case; others get none', async () => {
    const { admin, ana, bob } = newAccount();
    const { id } = await create(service.as(admin), { ramal: '2000', email_address: 'ANA@example.com' });
    const seenBy = async (caller: typeof admin) => (await service.as(caller).getExtension({ id })).extension!.senha;
    expect(await seenBy(admin)).toBe('segredo-numero-1');
    expect(await seenBy(ana)).toBe('segredo-numero-1');
    expect(await seenBy(bob)).toBeUndefined();
  });

  test('a USER who creates one for another user does not get it back', async () => {
    const { bob } = newAccount();
    expect((await create(service.as(bob), { ramal: '2000' })).senha).toBeUndefined();
  });
});

test('the senha is nowhere to be read: not in a row, not in an event, not in a log', async () => {
  const { admin, domain, accountId } = newAccount();
  const senha = 'muito-secreta-42';
  const { id } = await create(service.as(admin), { ramal: '2000', senha });
  await service.as(admin).upsertExtension({ id, senha: `${senha}-x` });
  await refusal(service.as(admin).createExtension({ ...goodFields, ramal: '2000', senha }));
  await service.as(admin).listExtensions({});

  const [row] = await home.sql.query<{ ha1: string }>('SELECT * FROM extensions WHERE id = $1', [id]);
  expect(row!.ha1).toBe(createHash('md5').update(`2000:${domain}:${senha}-x`).digest('hex'));
  const tables = await home.admin.query<{ name: string }>(
    `SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables WHERE schemaname IN ('extensions', 'sip')`,
  );
  expect(tables.length).toBeGreaterThan(3);
  for (const { name } of tables) {
    const rows = await home.admin.query<{ text: string }>(
      `SELECT t::text || encode(convert_to(t::text, 'UTF8'), 'hex') AS text FROM ${name} t
       WHERE t::text LIKE '%' || $1 || '%' OR t::text LIKE '%' || encode(convert_to($1, 'UTF8'), 'hex') || '%'`,
      [senha],
    );
    expect([name, rows]).toEqual([name, []]);
  }
  expect(service.logged()).not.toContain(senha);
  expect(accountId).toBeGreaterThan(0);
});
