import { randomUUID } from 'node:crypto';
import { topUp } from '../src/credit';
import { operatorDesk } from '../src/operator-desk';
import { eventually } from '../src/eventually';
import { createAdmin, type Person } from '../src/people';
import { refusalOf } from '../src/refusals';
import { testStack } from '../src/test-stack';

const stack = testStack();
const desk = operatorDesk(stack);
let admin: Person;
let account: string;

interface Report {
  applied: boolean;
  lines: number;
  added: number;
  changed: number;
  unchanged: number;
  absent: number;
  problemCount: number;
  problems: { line: number; problem: string }[];
  differences: { prefix: string; change: string; minutePriceBefore: number | null; minutePriceAfter: number | null }[];
}

beforeAll(async () => {
  const created = await createAdmin(stack);
  admin = created;
  account = `/accounts/${await desk.accountOf(created.domain)}`;
  await eventually(async () => (await desk.get(`${account}/credit`)).status === 200);
});
afterAll(() => desk.client.close());

const balance = async (): Promise<number> =>
  (await admin.api().get<{ balance: number }>('/credits/balance')).body.balance;

describe('credit', () => {
  it('is granted once for each key, and the account sees what it is for', async () => {
    const grant = { amount: 12.5, description: 'An apology for Tuesday' };
    const key = { 'idempotency-key': randomUUID() };
    const answers = await Promise.all([1, 2, 3].map(() => desk.post(`${account}/credit`, grant, key)));
    for (const { status } of answers) expect([200, 409]).toContain(status);
    const again = await desk.post(`${account}/credit`, grant, key);
    expect([again.status, again.body, again.headers['idempotent-replayed']]).toEqual([200, { balance: 12.5 }, 'true']);
    expect(await balance()).toBe(12.5);
    const entries = (await admin.api().get<{ data: object[] }>('/credits/statement?page=1')).body.data;
    expect(entries).toMatchObject([{ kind: 'grant', amount: 12.5, description: grant.description }]);
    const seen = await desk.get<{ data: object[] }>(`${account}/statement`);
    expect(seen.body.data).toMatchObject([{ kind: 'grant', amount: 12.5 }]);

    const other = await desk.post(`${account}/credit`, { ...grant, amount: 13 }, key);
    expect(refusalOf(other)).toMatchObject({ status: 422, code: 'IDEMPOTENCY_KEY_REUSED' });
  });

  it.each([
    [{ amount: 0, description: 'x' }, { amount: ['range'] }],
    [{ amount: 100_000.01, description: 'x' }, { amount: ['range'] }],
    [{ description: 'x' }, { amount: ['range'] }],
    [{ amount: 5 }, { description: ['presence'] }],
    [{ amount: 'much', description: 'x' }, { amount: ['type'] }],
  ])('is not granted for %j', async (body, codes) => {
    const refused = refusalOf(await desk.post(`${account}/credit`, body, { 'idempotency-key': randomUUID() }));
    expect([refused.status, refused.details?.codes]).toEqual([422, codes]);
  });

  it('needs a key, and an account', async () => {
    const grant = { amount: 5, description: 'x' };
    const refused = refusalOf(await desk.post(`${account}/credit`, grant));
    expect(refused).toMatchObject({ status: 400, code: 'IDEMPOTENCY_KEY_REQUIRED' });
    const key = { 'idempotency-key': randomUUID() };
    expect((await desk.post('/accounts/999999999/credit', grant, key)).status).toBe(404);
    expect((await desk.get('/accounts/999999999/credit')).status).toBe(404);
    expect((await desk.get('/accounts/x/credit')).status).toBe(404);
  });
});

describe('a charge', () => {
  it('that was paid is refunded once, and no other one', async () => {
    const before = await balance();
    await topUp(admin.api(), 20);
    expect(await balance()).toBe(before + 20);
    const { data } = (await desk.get<{ data: { id: number; status: string }[] }>(`${account}/charges`)).body;
    const refund = `${account}/charges/${data[0]!.id}/refund`;
    for (const attempt of [1, 2]) {
      const refunded = await desk.post<{ status: string }>(refund);
      expect([attempt, refunded.status, refunded.body.status]).toEqual([attempt, 200, 'REFUNDED']);
    }
    expect(await balance()).toBe(before);
    expect((await desk.post(`${account}/charges/999999999/refund`)).status).toBe(404);
    const stranger = await createAdmin(stack);
    const theirs = `/accounts/${await desk.accountOf(stranger.domain)}/charges/${data[0]!.id}/refund`;
    expect((await desk.post(theirs)).status).toBe(404);
  });
});

describe('a rate deck', () => {
  const deck = `deck-${randomUUID().slice(0, 8)}`;
  const send = async (csv: string, options: object = {}) =>
    (await desk.post<Report>(`/rate-decks/${deck}/import`, { csv, ...options })).body;
  const first = 'prefix,minute_price,description\n55,0.10,Brazil\n5511,0.05,Sao Paulo\n1,0.20,America\n';
  const second = 'prefix;minute_price;description\n55;0,12;Brazil\n5511;0,05;Sao Paulo\n44;0,30;Britain\n';

  it('tells in a dry run what an import would change, and changes nothing', async () => {
    const dry = await send(first, { dryRun: true });
    expect(dry).toMatchObject({ applied: false, lines: 3, added: 3, changed: 0, problemCount: 0 });
    expect((await desk.get(`/rate-decks/${deck}/rates`)).status).toBe(404);
    expect(await send(first)).toMatchObject({ applied: true, added: 3 });

    const differences = [
      { prefix: '1', change: 'ended', minutePriceBefore: 0.2, minutePriceAfter: null },
      { prefix: '44', change: 'added', minutePriceBefore: null, minutePriceAfter: 0.3 },
      { prefix: '55', change: 'changed', minutePriceBefore: 0.1, minutePriceAfter: 0.12 },
    ];
    for (const dryRun of [true, false]) {
      const report = await send(second, { dryRun, replace: true });
      expect(report).toMatchObject({ applied: !dryRun, added: 1, changed: 1, unchanged: 1, absent: 1, differences });
    }
  });

  it('keeps what was valid before, and who changed it', async () => {
    const { data } = (await desk.get<{ data: Record<string, unknown>[] }>(`/rate-decks/${deck}/rates`)).body;
    expect(data.map(({ prefix, minutePrice, validTo }) => [prefix, minutePrice, validTo === null])).toEqual([
      ['1', 0.2, false],
      ['44', 0.3, true],
      ['55', 0.1, true],
      ['55', 0.12, true],
      ['5511', 0.05, true],
    ]);
    const imports = (await desk.get<{ data: object[] }>(`/rate-decks/${deck}/imports`)).body.data;
    expect(imports).toMatchObject([
      { operatorName: 'configured', lines: 3, added: 1, changed: 1, ended: 1 },
      { operatorName: 'configured', lines: 3, added: 3, changed: 0, ended: 0 },
    ]);
  });

  it('takes a file whole or not at all, and says what is wrong with it', async () => {
    const wrong = await send('prefix,minute_price\n55,1\n0800,cheap\n');
    expect(wrong).toMatchObject({ applied: false, problemCount: 2 });
    expect(wrong.problems.map(({ line }) => line)).toEqual([3, 3]);
    expect((await send('prefix,price\n55,1\n')).problems[0]!.problem).toContain('minute_price is missing');
    expect((await desk.post(`/rate-decks/${deck}/import`, {})).status).toBe(422);
    expect((await desk.post('/rate-decks/no%20name/import', { csv: first })).status).toBe(422);
  });

  it('becomes that of an account, and what its calls cost', async () => {
    const rate = async () =>
      (await admin.api().get<{ minute_price: number }>('/rates', { query: { number: '442079460000' } })).body;
    const assigned = await desk.put(`${account}/rate-deck`, { deck });
    expect(assigned.body).toEqual({ deck });
    await eventually(async () => JSON.stringify(await rate()).includes('0.3'));
    expect((await desk.get(`${account}/credit`)).body).toMatchObject({ rateDeck: deck });
    const { body } = await desk.get<{ name: string; prefixes: number; accounts: number }[]>('/rate-decks');
    expect(body.find(({ name }) => name === deck)).toMatchObject({ prefixes: 3, accounts: 1 });
    expect((await desk.put(`${account}/rate-deck`, { deck: 'nowhere' })).status).toBe(404);
    expect((await desk.put(`${account}/rate-deck`, { deck: 'default' })).status).toBe(200);
    expect((await desk.get(`${account}/credit`)).body).toMatchObject({ rateDeck: 'default' });
  });
});

describe('dead letters', () => {
  it('are listed in pages; one that is not there is not replayed', async () => {
    const listed = await desk.get<{ data: object[]; next: number | null }>('/dead-letters', { consumer: 'nobody' });
    expect(listed.body).toEqual({ data: [], next: null });
    expect((await desk.get('/dead-letters', { limit: '0' })).status).toBe(422);
    expect((await desk.post('/dead-letters/999999999/replay')).status).toBe(404);
  });
});
