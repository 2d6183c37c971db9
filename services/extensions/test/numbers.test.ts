import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Caller } from '@sabia/protos/sabia/api/v1/caller';
import { ErrorKind } from '@sabia/protos/sabia/api/v1/error';
import { NumberTitle } from '@sabia/protos/sabia/extensions/v1/operator';
import { refusal } from '@sabia/testkit/refused-rpc';
import { create, newAccount, openHome } from './harness';
import type { Extensions, Home, RunningExtensions } from './harness';

let home: Home;
let service: RunningExtensions;
let rosa: Extensions;

beforeAll(async () => {
  home = await openHome();
  service = await home.start();
  rosa = service.as(Caller.fromPartial({ operator: { uuid: randomUUID(), name: 'Rosa' } }));
});
afterAll(async () => {
  await service?.stop();
  await home?.close();
});

test('a number is given to an account, moved only after it was released, and listed with who said so', async () => {
  const [one, other] = [newAccount(), newAccount()];
  await create(service.as(one.admin), { ramal: '2000', bina: '1132324545' });
  await create(service.as(other.admin), { ramal: '2000' });
  const { number } = await rosa.assignNumber({
    number: '+55 11 3232-4545',
    accountId: one.accountId,
    note: 'ticket 7',
  });
  expect(number).toMatchObject({
    ...{ number: '551132324545', accountId: one.accountId, title: NumberTitle.ASSIGNED, note: 'ticket 7' },
    ...{ operatorName: 'Rosa', extensions: 1 },
  });
  const proven = { number: '551132324545', accountId: one.accountId, title: NumberTitle.PROVEN };
  expect((await rosa.assignNumber(proven)).number).toMatchObject({ title: NumberTitle.PROVEN, since: number!.since });
  const taken = await refusal(rosa.assignNumber({ ...proven, accountId: other.accountId }));
  expect(taken).toMatchObject({ kind: ErrorKind.CONFLICT, code: 'NUMBER_TAKEN' });
  await rosa.releaseNumber({ number: '1132324545' });
  expect((await refusal(rosa.releaseNumber({ number: '1132324545' }))).kind).toBe(ErrorKind.NOT_FOUND);
  await rosa.assignNumber({ ...proven, accountId: other.accountId });
  const { data } = await rosa.listNumbers({ page: 1, filter: `{"where":{"accountId":${other.accountId}}}` });
  expect(data).toMatchObject([{ number: '551132324545', extensions: 0 }]);
});

test.each([
  [{ number: 'x', accountId: 1 }, { number: 'format' }],
  [{ number: '1132324545' }, { accountId: 'presence' }],
  [{ number: '1132324545', accountId: 999_999_999 }, { accountId: 'inclusion' }],
  [{ number: '1132324545', accountId: 1, title: NumberTitle.INHERITED }, { title: 'inclusion' }],
  [{ number: '1132324545', accountId: 1, note: 'x'.repeat(501) }, { note: 'length' }],
])('%j is refused', async (request, codes) => {
  expect(await refusal(rosa.assignNumber(request))).toMatchObject({ kind: ErrorKind.VALIDATION, codes });
});

test('only operators give numbers', async () => {
  const { admin, accountId } = newAccount();
  const asked = refusal(service.as(admin).assignNumber({ number: '1132324546', accountId }));
  expect((await asked).kind).toBe(ErrorKind.DENIED);
});

test('what one account alone shows is its own after the upgrade; what several show belongs to nobody', async () => {
  const [one, other] = [newAccount(), newAccount()];
  await create(service.as(one.admin), { ramal: '2000', bina: '1132327001' });
  await create(service.as(one.admin), { ramal: '2001', bina: '1132327001' });
  await create(service.as(one.admin), { ramal: '2002', bina: '1132327002' });
  await create(service.as(other.admin), { ramal: '2000', bina: '1132327002' });
  await home.sql.query('DROP TABLE numbers');
  const file = join(__dirname, '../migrations/0021_give_numbers_owners.sql');
  for (const statement of readFileSync(file, 'utf8')
    .split(/;\n/)
    .filter((each) => each.trim() !== '')) {
    await home.sql.query(statement);
  }
  const { data } = await rosa.listNumbers({ page: 1, filter: `{"where":{"accountId":${one.accountId}}}` });
  expect(data).toMatchObject([{ number: '551132327001', title: NumberTitle.INHERITED, extensions: 2 }]);
  const claims = (await rosa.listNumberClaims({ page: 1 })).data;
  expect(claims.filter(({ number }) => number.startsWith('55113232700'))).toMatchObject([
    { number: '551132327002', accountIds: [one.accountId, other.accountId] },
  ]);
});
