import type { Caller } from '@sabia/protos/sabia/api/v1/caller';
import { ErrorKind } from '@sabia/protos/sabia/api/v1/error';
import { PlaceCallResponse } from '@sabia/protos/sabia/telephony/v1/messages';
import { keyCleaning } from '@sabia/service-kit/postgres/key-cleaning';
import { refusal } from '@sabia/testkit/refused-rpc';
import { newAccount, numbers, openStage, whenCall } from './stage';
import type { Replica, Stage } from './stage';

let stage: Stage;
let replica: Replica;

beforeAll(async () => {
  stage = await openStage();
  replica = await stage.start({ maximumLiveCalls: 5 });
});

afterAll(async () => {
  await replica?.stop();
  await stage?.close();
});

test('an accepted call is there at once, and so is its event', async () => {
  const caller = newAccount(stage);
  const telephony = replica.as(caller);
  const metadata = '{"leadId": 42.0, "z":1, "a":["é"]}';
  const answer = await telephony.placeCall({ extension: '1000', called: '+55 (11) 5550-0101', metadata });
  expect(answer).toMatchObject({ status: 'success', message: expect.any(String) });
  const { call } = await telephony.getCall({ id: answer.id });
  expect(call).toMatchObject({
    id: answer.id,
    domain: caller.domain,
    call_type: 'outbound',
    from: '1000',
    to: numbers.answer,
    email: 'ana@example.com',
    first_name: 'Ana',
    last_name: 'Souza',
    BINA: '551140028922',
    duration: 0,
    metadata,
  });
  const [created] = await stage.eventsOf(answer.id);
  expect(created).toMatchObject({ type: 'telephony.call.created', call: { userId: caller.userId, metadata } });
  await telephony.hangUp({ id: answer.id });
});

describe('is refused', () => {
  const good = { extension: '1000', called: numbers.answer };

  test.each([
    ['without anything', {}, { extension: 'presence', called: 'presence' }],
    ['with a number that cannot be', { ...good, called: '12345' }, { called: 'format' }],
    ['with an extension that is no number', { ...good, extension: 'ana' }, { extension: 'format' }],
    [
      'with too much metadata',
      { ...good, metadata: JSON.stringify({ a: 'x'.repeat(16_384) }) },
      { metadata: 'length' },
    ],
    ['with metadata that is no object', { ...good, metadata: '[1]' }, { metadata: 'type' }],
    ['for an extension that is not there', { ...good, extension: '4444' }, { extension: 'inclusion' }],
  ])('%s', async (_name, request, codes) => {
    const telephony = replica.as(newAccount(stage));
    expect(await refusal(telephony.placeCall(request))).toMatchObject({
      kind: ErrorKind.VALIDATION,
      code: 'VALIDATION_ERROR',
      codes,
    });
    expect((await telephony.listCalls({})).data).toEqual([]);
  });

  test('for an extension of another account, as if it did not exist', async () => {
    const stranger = newAccount(stage);
    stage.neighbours.extensions.set(`${stranger.accountId}/2000`, { domain: stranger.domain, gravarAudio: false });
    const request = { ...good, extension: '2000' };
    expect((await refusal(replica.as(newAccount(stage)).placeCall(request))).codes).toEqual({ extension: 'inclusion' });
  });

  test('without credit', async () => {
    const telephony = replica.as(newAccount(stage, { credit: 0 }));
    expect(await refusal(telephony.placeCall(good))).toMatchObject({
      kind: ErrorKind.INSUFFICIENT_CREDIT,
      code: 'INSUFFICIENT_CREDIT',
    });
    expect((await telephony.listCalls({})).meta).toMatchObject({ totalItemCount: 0 });
  });

  test('beyond the limit of live calls, however many requests come at once', async () => {
    const caller = newAccount(stage);
    const telephony = replica.as(caller);
    const outcomes = await Promise.allSettled(Array.from({ length: 12 }, () => telephony.placeCall(good)));
    const refused = outcomes.filter(({ status }) => status === 'rejected') as PromiseRejectedResult[];
    expect(refused).toHaveLength(7);
    expect(refused[0]!.reason).toMatchObject({ kind: ErrorKind.UNPROCESSABLE, code: 'TOO_MANY_CALLS' });
    const { data, meta } = await telephony.listCalls({});
    expect([data.length, meta!.totalItemCount]).toEqual([5, 5]);
    // What was reserved for those who were turned away is given back.
    const kept = data.map(({ id }) => id);
    expect(stage.neighbours.released.filter((id) => kept.includes(id))).toEqual([]);
    expect(stage.neighbours.released.length).toBeGreaterThanOrEqual(7);
    await Promise.all(kept.map((id) => telephony.hangUp({ id })));
  });

  test('without a caller', async () => {
    expect((await refusal(replica.as(undefined as never).placeCall(good))).kind).toBe(ErrorKind.UNAUTHENTICATED);
  });
});

test('the dialer returns a dial id, which finds and ends the call', async () => {
  const telephony = replica.as(newAccount(stage));
  const dialled = await telephony.dial({ extension: '1000', phone: '011 5550-0101', metadata: '{"a":1}' });
  expect(dialled.message).toBe('successfull');
  const { data } = await telephony.listCalls({});
  expect(data).toHaveLength(1);
  expect(data[0]!.id).not.toBe(dialled.id);
  expect((await telephony.getCallMoney({ id: dialled.id })).money).toMatchObject({ reservation: { seconds: 60 } });
  expect((await telephony.getCall({ id: dialled.id })).call).toMatchObject({
    id: data[0]!.id,
    called: '011 5550-0101',
  });
  expect(await telephony.hangUp({ id: dialled.id })).toMatchObject({ status: 'success', id: dialled.id });
  await whenCall(telephony, data[0]!.id, 'ended');
  expect((await refusal(telephony.hangUp({ id: dialled.id }))).code).toBe('MODEL_NOT_FOUND');
  expect((await refusal(telephony.dial({ extension: '1000' }))).codes).toEqual({ phone: 'presence' });
});

test('a call of another account is not found', async () => {
  const telephony = replica.as(newAccount(stage));
  const stranger = replica.as(newAccount(stage));
  const { id } = await telephony.placeCall({ extension: '1000', called: numbers.answer });
  for (const rpc of [
    stranger.getCall({ id }),
    stranger.hangUp({ id }),
    stranger.getCallTimeline({ id }),
    stranger.getCallMoney({ id }),
    stranger.getCallLadder({ id }),
  ]) {
    expect(await refusal(rpc)).toMatchObject({ kind: ErrorKind.NOT_FOUND, code: 'MODEL_NOT_FOUND' });
  }
  expect((await refusal(telephony.getCall({ id: 'nonsense' }))).code).toBe('MODEL_NOT_FOUND');
  expect((await refusal(telephony.hangUp({}))).code).toBe('MODEL_NOT_FOUND');
  await telephony.hangUp({ id });
});

describe('with an idempotency key', () => {
  const good = { extension: '1000', called: numbers.answer };
  const totalOf = async (caller: Caller): Promise<number> =>
    (await replica.as(caller).listCalls({})).meta!.totalItemCount;
  let second: Replica;

  beforeAll(async () => {
    second = await stage.start({ maximumLiveCalls: 5 });
  });

  afterAll(() => second?.stop());

  test('a repetition gets the first response and places no call, whichever replica it reaches', async () => {
    const caller = newAccount(stage);
    const replayed = jest.fn();
    const first = await replica.as(caller, { key: 'k1', onReplayed: replayed }).placeCall(good);
    expect(replayed).not.toHaveBeenCalled();
    const released = stage.neighbours.released.length;
    for (const again of [replica, second]) {
      expect(await again.as(caller, { key: 'k1', onReplayed: replayed }).placeCall(good)).toEqual(first);
    }
    expect(replayed).toHaveBeenCalledTimes(2);
    expect(await totalOf(caller)).toBe(1);
    expect(stage.neighbours.released).toHaveLength(released);

    const other = await refusal(replica.as(caller, { key: 'k1' }).placeCall({ ...good, called: numbers.ring }));
    expect(other).toMatchObject({ kind: ErrorKind.UNPROCESSABLE, code: 'IDEMPOTENCY_KEY_REUSED' });
    expect((await replica.as(caller, { key: 'k2' }).placeCall(good)).id).not.toBe(first.id);
    expect((await replica.as(newAccount(stage), { key: 'k1' }).placeCall(good)).id).not.toBe(first.id);
    expect(await totalOf(caller)).toBe(2);
  });

  test('the dialer returns the same dial id, and its keys are separate from those of calls', async () => {
    const caller = newAccount(stage);
    const request = { extension: '1000', phone: numbers.answer };
    const first = await replica.as(caller, { key: 'k' }).dial(request);
    expect(await second.as(caller, { key: 'k' }).dial(request)).toEqual(first);
    expect(await totalOf(caller)).toBe(1);
    await replica.as(caller, { key: 'k' }).placeCall(good);
    expect(await totalOf(caller)).toBe(2);
  });

  test('many requests at once on two replicas place one call, and the credit of the others is released', async () => {
    const caller = newAccount(stage);
    const before = stage.neighbours.released.length;
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        (index % 2 === 0 ? replica : second).as(caller, { key: 'at once' }).placeCall(good),
      ),
    );
    expect(new Set(answers.map(({ id }) => id)).size).toBe(1);
    expect(await totalOf(caller)).toBe(1);
    const { released } = stage.neighbours;
    expect(released).not.toContain(answers[0]!.id);
    const reserved = [...stage.neighbours.reserved.keys()].filter((id) => !released.slice(before).includes(id));
    expect(reserved).toContain(answers[0]!.id);
    expect(await stage.eventsOf(answers[0]!.id)).not.toHaveLength(0);
  });

  test('calls without a key in the same batch are placed as ever', async () => {
    const caller = newAccount(stage);
    const answers = await Promise.all([
      replica.as(caller, { key: 'x' }).placeCall(good),
      replica.as(caller).placeCall(good),
      replica.as(caller, { key: 'x' }).placeCall(good),
      replica.as(caller).placeCall(good),
    ]);
    expect(new Set(answers.map(({ id }) => id)).size).toBe(3);
    expect(await totalOf(caller)).toBe(3);
  });

  test('repetitions of several requests at once get each the response of their own', async () => {
    const caller = newAccount(stage);
    const keys = Array.from({ length: 4 }, (_, nth) => `mine ${nth}`);
    const place = (key: string) => replica.as(caller, { key }).placeCall(good);
    const firsts = await Promise.all(keys.map(place));
    expect(new Set(firsts.map(({ id }) => id)).size).toBe(4);
    const again = await Promise.all([...keys, 'new'].reverse().map(place));
    const added = again.shift()!;
    expect(again.reverse()).toEqual(firsts);
    expect(firsts.map(({ id }) => id)).not.toContain(added.id);
    expect(await totalOf(caller)).toBe(5);
  });

  test('a refusal is not remembered: the cause may be gone', async () => {
    const caller = newAccount(stage, { credit: 0 });
    const telephony = replica.as(caller, { key: 'poor' });
    expect((await refusal(telephony.placeCall(good))).code).toBe('INSUFFICIENT_CREDIT');
    stage.neighbours.credit.set(caller.accountId, 1_000);
    const { id } = await telephony.placeCall(good);
    expect((await telephony.placeCall(good)).id).toBe(id);
  });

  test('a key that has expired is new again', async () => {
    const caller = newAccount(stage);
    const telephony = replica.as(caller, { key: 'old' });
    const first = await telephony.placeCall(good);
    const [{ hours }] = (await stage.sql.query<{ hours: number }>(
      `UPDATE idempotency_keys SET expires_at = expires_at - interval '24 hours'
       WHERE answer = $1 RETURNING round(extract(epoch FROM expires_at + interval '24 hours' - now()) / 3600) AS hours`,
      [Buffer.from(PlaceCallResponse.encode(first).finish())],
    )) as [{ hours: number }];
    expect(Number(hours)).toBe(24);
    expect((await telephony.placeCall(good)).id).not.toBe(first.id);
    expect(await totalOf(caller)).toBe(2);
  });

  test('all expired keys are deleted, and no others', async () => {
    const telephony = replica.as(newAccount(stage), { key: 'young' });
    const { id } = await telephony.placeCall(good);
    await stage.sql.query(
      `INSERT INTO idempotency_keys (name, fingerprint, answer, expires_at)
       SELECT sha256(n::text::bytea), '', '', now() - interval '1 second' * n FROM generate_series(1, 1200) AS n`,
    );
    const { work } = keyCleaning({ database: stage.sql, now: () => new Date() });
    let rounds = 1;
    while ((await work(new AbortController().signal)) === true) rounds += 1;
    expect(rounds).toBe(3);
    const [left] = await stage.sql.query<{ old: number }>(
      'SELECT count(*) FILTER (WHERE expires_at <= now()) AS old FROM idempotency_keys',
    );
    expect(left!.old).toBe(0);
    expect((await telephony.placeCall(good)).id).toBe(id);
  });

  test('the key itself is not stored', async () => {
    await replica.as(newAccount(stage), { key: 'a key of great beauty' }).placeCall(good);
    const rows = await stage.sql.query<{ text: string }>(
      `SELECT encode(name || fingerprint || answer, 'escape') AS text FROM idempotency_keys`,
    );
    expect(rows.some(({ text }) => text.includes('beauty'))).toBe(false);
  });
});
