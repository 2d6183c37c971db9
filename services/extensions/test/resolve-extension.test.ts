import { ErrorKind } from '@sabia/protos/sabia/api/v1/error';
import { ResolveExtensionRequest } from '@sabia/protos/sabia/extensions/v1/messages';
import type { ResolveExtensionResponse } from '@sabia/protos/sabia/extensions/v1/messages';
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

const resolve = (request: Partial<ResolveExtensionRequest>): Promise<ResolveExtensionResponse> =>
  service.as(undefined).resolveExtension(ResolveExtensionRequest.fromPartial(request));

test('by number, within an account that is named by id or by domain; never with its senha', async () => {
  const one = newAccount();
  const other = newAccount();
  const { senha, ...mine } = await create(service.as(one.admin), { ramal: '2000', gravar_audio: true });
  await create(service.as(other.admin), { ramal: '2000' });
  const expected = { extension: mine, accountId: one.accountId };
  expect(senha).toBe('segredo-numero-1');
  expect(await resolve({ accountId: one.accountId, ramal: '2000' })).toEqual(expected);
  expect(await resolve({ domain: one.domain.toUpperCase(), ramal: '2000' })).toEqual(expected);
});

test('by caller id, however it is written; a softphone that is there comes first', async () => {
  const one = newAccount();
  const other = newAccount();
  const first = await create(service.as(one.admin), { ramal: '2000', bina: '1131234567' });
  const second = await create(service.as(one.admin), { ramal: '2001', bina: '1131234567' });
  const third = await create(service.as(other.admin), { ramal: '2000', bina: '1131234567' });
  await own('551131234567', one.accountId);
  // In digits, as carriers want it.
  expect(await resolve({ bina: '+551131234567' })).toMatchObject({
    extension: { id: first.id, bina: '551131234567' },
    accountId: one.accountId,
  });
  expect(await resolve({ bina: '551131234567', accountId: other.accountId })).toMatchObject({
    extension: { id: third.id },
  });
  await home.sql.query('UPDATE extensions SET registered = true WHERE id = $1', [second.id]);
  expect(await resolve({ bina: '1131234567' })).toMatchObject({ extension: { id: second.id, registered: true } });
});

const own = (number: string, accountId: number) =>
  home.sql.query(
    `INSERT INTO numbers (number, account_id, title, note, operator_name, since) VALUES ($1, $2, 'ASSIGNED', '', 'Rosa', now())`,
    [number, accountId],
  );

test('a number is that of the account it belongs to, whoever showed it first or is registered, and of nobody else', async () => {
  const thief = newAccount();
  const owner = newAccount();
  const bina = '1131239999';
  const older = await create(service.as(thief.admin), { ramal: '2000', bina: '1131230001' });
  const owned = await create(service.as(owner.admin), { ramal: '2000', bina });
  await service.as(thief.admin).upsertExtension({ id: older.id, bina });
  await home.sql.query('UPDATE extensions SET registered = true WHERE id = $1', [older.id]);
  expect(await refusal(resolve({ bina }))).toMatchObject({ kind: ErrorKind.NOT_FOUND });
  await own('551131239999', owner.accountId);
  expect(await resolve({ bina })).toMatchObject({ extension: { id: owned.id }, accountId: owner.accountId });
});

test('an unknown extension', async () => {
  const { accountId, domain } = newAccount();
  for (const request of [
    { accountId, ramal: '2000' },
    { domain, ramal: '2000' },
    { accountId, ramal: 'x' },
    { bina: '+551131230000' },
    { bina: 'anonymous' },
  ]) {
    expect(await refusal(resolve(request))).toMatchObject({ kind: ErrorKind.NOT_FOUND, code: 'MODEL_NOT_FOUND' });
  }
});

test.each([{}, { ramal: '2000' }, { accountId: 1 }])('%j names nothing', async (request) => {
  expect(await refusal(resolve(request))).toMatchObject({ kind: ErrorKind.BAD_REQUEST, code: 'INVALID_REQUEST' });
});
