import { ErrorKind } from '@sabia/protos/sabia/api/v1/error';
import { newAccount, numbers, openStage, refusal, whenCall } from './stage';
import type { Replica, Stage } from './stage';

jest.setTimeout(60_000);

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

  test('for the extension of somebody else, as if it were not there', async () => {
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

  test('beyond the calls that an account may have at a time, however many ask at once', async () => {
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

test('the dialer answers an id of its own, which ends the call', async () => {
  const telephony = replica.as(newAccount(stage));
  const dialled = await telephony.dial({ extension: '1000', phone: '011 5550-0101', metadata: '{"a":1}' });
  expect(dialled.message).toBe('successfull');
  const { data } = await telephony.listCalls({});
  expect(data).toHaveLength(1);
  expect(data[0]!.id).not.toBe(dialled.id);
  expect((await refusal(telephony.getCall({ id: dialled.id }))).code).toBe('MODEL_NOT_FOUND');
  expect(await telephony.hangUp({ id: dialled.id })).toMatchObject({ status: 'success', id: dialled.id });
  await whenCall(telephony, data[0]!.id, 'ended');
  expect((await refusal(telephony.hangUp({ id: dialled.id }))).code).toBe('MODEL_NOT_FOUND');
  expect((await refusal(telephony.dial({ extension: '1000' }))).codes).toEqual({ phone: 'presence' });
});

test('a call of another account is not there', async () => {
  const telephony = replica.as(newAccount(stage));
  const stranger = replica.as(newAccount(stage));
  const { id } = await telephony.placeCall({ extension: '1000', called: numbers.answer });
  for (const rpc of [stranger.getCall({ id }), stranger.hangUp({ id }), stranger.getCallTimeline({ id })]) {
    expect(await refusal(rpc)).toMatchObject({ kind: ErrorKind.NOT_FOUND, code: 'MODEL_NOT_FOUND' });
  }
  expect((await refusal(telephony.getCall({ id: 'nonsense' }))).code).toBe('MODEL_NOT_FOUND');
  expect((await refusal(telephony.hangUp({}))).code).toBe('MODEL_NOT_FOUND');
  await telephony.hangUp({ id });
});
