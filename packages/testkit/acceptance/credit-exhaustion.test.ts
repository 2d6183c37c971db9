import { importOwnPrice, topUp } from '../src/credit';
import { eventually } from '../src/eventually';
import { promised } from '../src/promised';
import { startOwnStack, type OwnStack } from '../src/own-stack';
import { signUpUser, type SignedUpUser } from '../src/sign-up';
import { Softphone } from '../src/softphone/softphone';
import { testStack } from '../src/test-stack';

interface Call {
  id: string;
  status: string;
  answered_at: string | null;
  ended_at: string | null;
  hangup_cause: string | null;
  call_price: number | null;
}

interface Statement {
  data: { kind: string; amount: number; balance: number; callId: string | null }[];
  meta: { totalItemCount: number };
}

/** An account whose credit of six reais lasts for a number of seconds, all calls together. */
async function accountWithCredit(stack: Parameters<typeof signUpUser>[0] & { postgresUrl: string }, seconds: number) {
  const user = await signUpUser(stack);
  const { organizationId: accountId } = await topUp(user.client, 6);
  const minutePrice = ((6 * 60) / seconds).toFixed(2);
  const report = await importOwnPrice(stack, user.client, {
    accountId,
    minutePrice,
    minimumSeconds: 1,
    incrementSeconds: 1,
  });
  expect(report).toContain('1  new prefixes');
  return user;
}

async function addExtension(user: SignedUpUser, ramal: string): Promise<{ ramal: string; senha: string }> {
  const extension = { ramal, senha: `segredo-${ramal}` };
  const person = { first_name: 'Ana', last_name: 'Silva', email_address: user.email, gravar_audio: 0 };
  expect((await user.client.post('/extensions', { ...extension, ...person })).status).toBe(200);
  return extension;
}

async function place(user: SignedUpUser, extension: string, called: string): Promise<string> {
  const placed = await user.client.post<{ id: string }>('/calls', { extension, called });
  expect(placed).toMatchObject({ status: 200, body: { status: 'success' } });
  return placed.body.id;
}

const priced = (user: SignedUpUser, id: string): Promise<Call & { answered_at: string; ended_at: string }> =>
  eventually(
    async () => {
      const { body } = await user.client.fromAnotherAddress().get<Call>(`/calls/${id}`);
      return body.call_price !== null && (body as Call & { answered_at: string; ended_at: string });
    },
    { intervalMs: 500 },
  );

const sum = (numbers: number[]): number => numbers.reduce((all, each) => all + Math.round(each * 10_000), 0) / 10_000;

/** The calls lasted until all credit was used up, and not a second longer. */
async function expectCut(user: SignedUpUser, ids: string[], seconds: number): Promise<void> {
  const calls = await Promise.all(ids.map((id) => priced(user, id)));
  expect(calls.map(({ status, hangup_cause }) => [status, hangup_cause])).toEqual(
    calls.map(() => ['ended', 'ALLOTTED_TIMEOUT']),
  );
  expect(sum(calls.map(({ call_price }) => call_price ?? 0))).toBe(6);
  expect((await user.client.get('/credits/balance')).body).toEqual({
    balance: 0,
    reserved: 0,
    available: 0,
    currency: 'BRL',
  });

  const talks = calls.map(({ answered_at, ended_at, call_price }) => {
    const paidSeconds = ((call_price ?? 0) * seconds) / 6;
    return { usedUpAt: Date.parse(answered_at) + paidSeconds * 1000, endedAt: Date.parse(ended_at), paidSeconds };
  });
  const late = talks.map(({ usedUpAt, endedAt }) => endedAt - usedUpAt).sort((a, b) => a - b);
  // Within a second. A busy machine may delay some of them, but not for long.
  expect(late[late.length >> 1]).toBeLessThanOrEqual(promised(1_000));
  expect(late.at(-1)).toBeLessThanOrEqual(promised(5_000));
  // No call is cut before its credit is used up.
  expect(late[0]).toBeGreaterThan(-500);
  // Every call got a share of the credit.
  expect(Math.min(...talks.map(({ paidSeconds }) => paidSeconds))).toBeGreaterThan(seconds / calls.length / 4);

  const { body: statement } = await user.client.get<Statement>('/credits/statement', { query: { page: '1' } });
  expect(statement.meta.totalItemCount).toBe(ids.length + 1);
  const movements = statement.data.filter(({ kind }) => kind === 'call');
  expect(new Set(movements.map(({ callId }) => callId))).toEqual(new Set(ids));
  expect(sum(movements.map(({ amount }) => amount))).toBe(-6);
  expect(statement.data[0]?.balance).toBe(0);
}

async function expectNoMore(user: SignedUpUser, extension: string, called: string): Promise<void> {
  const refused = await user.client.post('/calls', { extension, called });
  expect(refused).toMatchObject({ status: 402, body: { error: { code: 'INSUFFICIENT_CREDIT' } } });
  const { body } = await user.client.get<{ data: Call[] }>('/calls', { query: { page: '1' } });
  expect(body.data.filter(({ ended_at }) => ended_at === null)).toEqual([]);
}

describe('twenty calls at a time with credit for five minutes in all', () => {
  let stack: OwnStack;

  beforeAll(async () => {
    stack = await startOwnStack();
  });

  afterAll(() => stack?.end());

  it('share it, are cut when it is used up, and cost all of it and nothing more', async () => {
    const user = await accountWithCredit(stack, 300);
    // An extension places fifteen calls a minute.
    const extensions = [await addExtension(user, '2000'), await addExtension(user, '2001')];
    const ids = await Promise.all(
      Array.from({ length: 20 }, (_, nth) => place(user, extensions[nth % 2]!.ramal, stack.testNumbers.answer)),
    );
    expect(new Set(ids).size).toBe(20);
    await expectCut(user, ids, 300);
    await expectNoMore(user, '2000', stack.testNumbers.answer);
  });
});

describe('three softphones with credit for twenty-four seconds in all', () => {
  const phones: Softphone[] = [];

  afterAll(() => Promise.all(phones.map((phone) => phone.stop())));

  it('are cut by Asterisk when it is used up', async () => {
    const { sip, testNumbers } = testStack();
    const user = await accountWithCredit(testStack(), 24);
    for (const ramal of ['2000', '2001', '2002']) {
      const extension = await addExtension(user, ramal);
      const phone = await Softphone.start({ ...extension, domain: user.domain, server: sip?.udp ?? '' });
      phones.push(phone);
      await phone.waitRegistered();
    }
    await eventually(async () => {
      const { body } = await user.client.fromAnotherAddress().get<{ registered: boolean }[]>('/extensions');
      return body.length === phones.length && body.every(({ registered }) => registered);
    });
    const ids = await Promise.all(phones.map(({ options }) => place(user, options.ramal, testNumbers.answer)));
    await expectCut(user, ids, 24);
    await Promise.all(phones.map((phone) => phone.waitFor('CALL_CLOSED')));
    await expectNoMore(user, '2000', testNumbers.answer);
  });
});
