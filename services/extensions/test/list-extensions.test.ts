import { ErrorKind } from '@sabia/protos/sabia/api/v1/error';
import { refusal } from '@sabia/testkit/refused-rpc';
import { create, newAccount, openHome } from './harness';
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

type Account = ReturnType<typeof newAccount>;

const list = async ({ admin }: Pick<Account, 'admin'>, filter?: unknown): Promise<string[]> => {
  const text = filter === undefined || typeof filter === 'string' ? filter : JSON.stringify(filter);
  return (await service.as(admin).listExtensions({ filter: text })).extensions.map(({ ramal }) => ramal);
};

async function createExtensions(): Promise<Account> {
  const account = newAccount();
  const extensions = service.as(account.admin);
  await create(extensions, { ramal: '2001', first_name: 'Ana', last_name: 'Souza', bina: '1140028922' });
  await create(extensions, { ramal: '2000', first_name: 'Bia', last_name: 'Lima', email_address: 'bia@example.com' });
  await create(extensions, { ramal: '300', first_name: 'Caio', last_name: 'Souza', gravar_audio: true });
  return account;
}

test('is the account’s own, oldest first, and empty before there is one', async () => {
  const account = await createExtensions();
  expect(await list(account)).toEqual(['2001', '2000', '300']);
  expect(await list(newAccount())).toEqual([]);
});

test.each([
  [{ where: { ramal: '2000' } }, ['2000']],
  [{ where: { number: 2000 } }, ['2000']],
  [{ where: { ramal: { like: '200%' } } }, ['2001', '2000']],
  [{ where: { first_name: 'Bia' } }, ['2000']],
  [{ where: { last_name: 'Souza' } }, ['2001', '300']],
  [{ where: { email_address: 'bia@example.com' } }, ['2000']],
  [{ where: { email: { ilike: 'BIA%' } } }, ['2000']],
  [{ where: { bina: '551140028922' } }, ['2001']],
  [{ where: { bina: '1140028922' } }, ['2001']],
  [{ where: { bina: { inq: ['+55 (11) 4002-8922', 'x'] } } }, ['2001']],
  [{ where: { bina: { like: '%40028922' } } }, ['2001']],
  [{ where: { bina: null } }, ['2000', '300']],
  [{ where: { gravar_audio: 1 } }, ['300']],
  [{ where: { registered: true } }, []],
  [{ where: { registered_at: null, or: [{ ramal: '300' }, { first_name: 'Ana' }] } }, ['2001', '300']],
  [{ where: { first_name: { regexp: '/^[ab]/i' } } }, ['2001', '2000']],
  [{ order: 'ramal ASC' }, ['2000', '2001', '300']],
  [{ order: ['last_name DESC', 'first_name DESC'] }, ['300', '2001', '2000']],
  [{ order: 'id DESC', limit: 1, skip: 1 }, ['2000']],
  [{ fields: ['ramal', 'senha'], where: { ramal: '300' } }, ['300']],
])('%j', async (filter, ramais) => {
  expect(await list(await createExtensions(), filter)).toEqual(ramais);
});

test.each([
  ['{', /not valid JSON/],
  [{ where: { nope: 1 } }, /extension has no field "nope"; the fields are id, domain, ramal/],
  [{ where: { ramal: { $gt: 1 } } }, /unknown operator/],
  [{ where: { ha1: 'x' } }, /no field "ha1"/],
  [{ where: { account_id: 1 } }, /no field "account_id"/],
  [{ order: 'senha_sealed' }, /no field/],
  [{ include: 'account' }, /cannot include/],
  [{ where: { first_name: { regexp: '(' } } }, /regular expression/],
])('%j is refused', async (filter, message) => {
  const account = newAccount();
  const refused = await refusal(list(account, filter));
  expect(refused).toMatchObject({ kind: ErrorKind.BAD_REQUEST, code: 'INVALID_FILTER' });
  expect(refused.message).toMatch(message);
});

test('a senha cannot be found out by searching', async () => {
  const account = await createExtensions();
  expect(await list(account, { where: { senha: 'segredo-numero-1' } })).toEqual([]);
  expect(await list(account, { where: { senha: { like: '%' } } })).toEqual([]);
  expect(await list(account, { order: 'senha DESC' })).toHaveLength(3);
});

test('another account’s extensions cannot be reached, whatever the filter', async () => {
  const account = newAccount();
  const stranger = await createExtensions();
  const [first] = (await service.as(stranger.admin).listExtensions({})).extensions;
  expect(await list(account, { where: { or: [{ id: first!.id }, { domain: stranger.domain }] } })).toEqual([]);
});

test('a USER sees all of them, but only the own senha', async () => {
  const { ana } = await createExtensions();
  const { extensions } = await service.as(ana).listExtensions({ filter: '{"order":"ramal"}' });
  expect(extensions.map(({ ramal, senha }) => [ramal, senha])).toEqual([
    ['2000', undefined],
    ['2001', 'segredo-numero-1'],
    ['300', 'segredo-numero-1'],
  ]);
});
