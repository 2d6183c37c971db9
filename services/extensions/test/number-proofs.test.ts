import { randomUUID } from 'node:crypto';
import { Caller } from '@sabia/protos/sabia/api/v1/caller';
import { ErrorKind } from '@sabia/protos/sabia/api/v1/error';
import { ResolveExtensionRequest } from '@sabia/protos/sabia/extensions/v1/messages';
import { NumberProofOutcome, NumberProofVerdict } from '@sabia/protos/sabia/extensions/v1/numbers';
import { NumberTitle } from '@sabia/protos/sabia/extensions/v1/operator';
import { refusal } from '@sabia/testkit/refused-rpc';
import { create, newAccount, openHome } from './harness';
import type { Extensions, Home, RunningExtensions } from './harness';

const { RIGHT, WRONG, OVER } = NumberProofVerdict;
const MINUTE_MS = 60_000;
let home: Home;
let service: RunningExtensions;
let rosa: Extensions;
let telephony: Extensions;
let time = Date.parse('2026-03-10T12:00:00Z');
let numbers = 0;

const newNumber = (): string => `5511${32_330_000 + (numbers += 1)}`;

async function open(accountId: number, number: string) {
  const id = randomUUID();
  return { id, ...(await telephony.openNumberProof({ id, accountId, number })) };
}

const otherThan = (code: string): string => String((Number(code) + 1) % 1_000_000).padStart(6, '0');
const type = async (id: string, code: string) => (await telephony.tryNumberProof({ id, code })).verdict;
const prove = async (accountId: number, number: string) => {
  const { id, code } = await open(accountId, number);
  return type(id, code);
};
const ownNumbers = async ({ admin }: { admin: Caller }) => (await service.as(admin).listAccountNumbers({})).numbers;
const outcomeOf = async (id: string, accountId: number) => (await telephony.findNumberProof({ id, accountId })).outcome;

beforeAll(async () => {
  home = await openHome();
  service = await home.start({ now: () => new Date(time) });
  rosa = service.as(Caller.fromPartial({ operator: { uuid: randomUUID(), name: 'Rosa' } }));
  telephony = service.as(undefined);
});
afterAll(async () => {
  await service?.stop();
  await home?.close();
});

test('the right code makes a number the account’s, which it and the operator see; calls to it then reach its extension', async () => {
  const account = newAccount();
  const number = newNumber();
  await create(service.as(account.admin), { ramal: '2000', bina: number });
  const callee = () => telephony.resolveExtension(ResolveExtensionRequest.fromPartial({ bina: number }));
  expect((await refusal(callee())).kind).toBe(ErrorKind.NOT_FOUND);
  const proof = await open(account.accountId, `+${number}`);
  expect(proof).toMatchObject({ number, triesLeft: 3, expiresAt: new Date(time + 10 * MINUTE_MS) });
  expect(proof.code).toMatch(/^\d{6}$/);
  expect(await type(proof.id, proof.code)).toBe(RIGHT);
  expect(await outcomeOf(proof.id, account.accountId)).toBe(NumberProofOutcome.PROVEN);
  expect(await ownNumbers(account)).toEqual([
    { number, title: NumberTitle.PROVEN, since: new Date(time), extensions: 1 },
  ]);
  const { data } = await rosa.listNumbers({ page: 1, filter: '{"where":{"title":"PROVEN"}}' });
  expect(data).toMatchObject([{ number, accountId: account.accountId, operatorName: '', note: `call ${proof.id}` }]);
  expect(await ownNumbers(newAccount())).toEqual([]);
  expect(await callee()).toMatchObject({ accountId: account.accountId, extension: { ramal: '2000' } });
  const again = await refusal(telephony.openNumberProof({ id: randomUUID(), accountId: account.accountId, number }));
  expect(again).toMatchObject({ kind: ErrorKind.CONFLICT, code: 'NUMBER_ALREADY_YOURS' });
});

test('the code is kept as a hash while it is good, then not at all, and is logged nowhere', async () => {
  const { accountId } = newAccount();
  const { id, code } = await open(accountId, newNumber());
  const row = async () => JSON.stringify((await home.sql.query('SELECT * FROM number_proofs WHERE id = $1', [id]))[0]);
  expect(await row()).not.toContain(code);
  await type(id, code);
  expect(await row()).toContain('"code_hash":null');
  expect(service.logged()).not.toContain(`"${code}"`);
});

test('three wrong codes end a proof, and the right one comes too late then', async () => {
  const account = newAccount();
  const { id, code } = await open(account.accountId, newNumber());
  expect(await type(id, otherThan(code))).toBe(WRONG);
  expect(await type(id, '12')).toBe(WRONG);
  expect((await telephony.findNumberProof({ id, accountId: account.accountId })).triesLeft).toBe(1);
  expect(await type(id, otherThan(code))).toBe(OVER);
  expect(await type(id, code)).toBe(OVER);
  expect(await outcomeOf(id, account.accountId)).toBe(NumberProofOutcome.WRONG_CODE);
  expect(await ownNumbers(account)).toEqual([]);
});

test('a code is good for ten minutes', async () => {
  const account = newAccount();
  const { id, code } = await open(account.accountId, newNumber());
  time += 10 * MINUTE_MS;
  expect(await type(id, code)).toBe(OVER);
  expect(await outcomeOf(id, account.accountId)).toBe(NumberProofOutcome.EXPIRED);
  expect(await ownNumbers(account)).toEqual([]);
});

test('what the operator has given is not proven away; what another has proven goes to whoever has the phone now', async () => {
  const [one, other] = [newAccount(), newAccount()];
  const [given, proven] = [newNumber(), newNumber()];
  await create(service.as(one.admin), { ramal: '2000' });
  await rosa.assignNumber({ number: given, accountId: one.accountId });
  const refused = await refusal(
    telephony.openNumberProof({ id: randomUUID(), accountId: other.accountId, number: given }),
  );
  expect(refused).toMatchObject({ kind: ErrorKind.CONFLICT, code: 'NUMBER_TAKEN' });
  expect(refused.message).not.toContain(String(one.accountId));

  expect(await prove(one.accountId, proven)).toBe(RIGHT);
  expect(await prove(other.accountId, proven)).toBe(RIGHT);
  expect((await ownNumbers(one)).map(({ number }) => number)).toEqual([given]);
  expect((await ownNumbers(other)).map(({ number }) => number)).toEqual([proven]);
});

test('a number that the operator gives away during the call stays with whom the operator gave it to', async () => {
  const [one, other] = [newAccount(), newAccount()];
  const number = newNumber();
  await create(service.as(one.admin), { ramal: '2000' });
  const { id, code } = await open(other.accountId, number);
  await rosa.assignNumber({ number, accountId: one.accountId });
  expect(await type(id, code)).toBe(OVER);
  expect(await outcomeOf(id, other.accountId)).toBe(NumberProofOutcome.NUMBER_TAKEN);
  expect(await ownNumbers(one)).toMatchObject([{ number, title: NumberTitle.ASSIGNED }]);
});

test('an inherited number is confirmed by its account', async () => {
  const account = newAccount();
  const number = newNumber();
  await home.sql.query(`INSERT INTO numbers VALUES ($1, $2, 'INHERITED', '', '', now())`, [number, account.accountId]);
  expect(await prove(account.accountId, number)).toBe(RIGHT);
  expect(await ownNumbers(account)).toMatchObject([{ number, title: NumberTitle.PROVEN }]);
});

test('a number is called three times a day, whoever asks, and an account has ten proofs; calls that were not placed do not count', async () => {
  const number = newNumber();
  const callers = [newAccount(), newAccount(), newAccount(), newAccount()];
  const tooMany = { kind: ErrorKind.UNPROCESSABLE, code: 'TOO_MANY_PROOFS' };
  const asked = await Promise.allSettled(callers.map(({ accountId }) => open(accountId, number)));
  expect(asked.filter(({ status }) => status === 'fulfilled')).toHaveLength(3);
  const { accountId } = newAccount();
  expect(await refusal(open(accountId, number))).toMatchObject(tooMany);
  time += 24 * 60 * MINUTE_MS;
  await open(accountId, number);

  const dropped = await open(accountId, newNumber());
  await telephony.dropNumberProof({ id: dropped.id });
  expect((await refusal(telephony.findNumberProof({ id: dropped.id, accountId }))).kind).toBe(ErrorKind.NOT_FOUND);
  for (let count = 1; count < 10; count += 1) await open(accountId, newNumber());
  expect(await refusal(open(accountId, newNumber()))).toMatchObject(tooMany);
});

test.each(['', 'x', '190', '+1 555'])('"%s" is no number to prove', async (number) => {
  const { accountId } = newAccount();
  expect(await refusal(open(accountId, number))).toMatchObject({
    kind: ErrorKind.VALIDATION,
    codes: { number: 'format' },
  });
});

test('a suspended account proves nothing', async () => {
  const { accountId } = newAccount();
  await home.sql.query(`INSERT INTO suspended_accounts VALUES ($1, 'unpaid', now())`, [accountId]);
  expect(await refusal(open(accountId, newNumber()))).toMatchObject({ code: 'ACCOUNT_SUSPENDED' });
});
