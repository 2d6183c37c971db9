import { startCallingUser, type CallingUser } from '../src/calling-user';
import { eventually } from '../src/eventually';
import { createAdmin } from '../src/people';
import { refusalOf, unknownId } from '../src/refusals';
import { isoTime } from '../src/shapes';
import { testStack } from '../src/test-stack';

interface Message {
  at: string;
  leg: string;
  direction: string;
  method: string | null;
  status: number | null;
  inferred: boolean;
}

const { testNumbers } = testStack();
let user: CallingUser;

beforeAll(async () => {
  user = await startCallingUser(testStack(), { recorded: false });
});
afterAll(() => user?.stop());

const lines = (messages: Message[], leg: string): string[] =>
  messages
    .filter((message) => message.leg === leg)
    .map(({ direction, method, status }) => `${direction} ${method ?? status}`);

it('shows messages, money, figures and the line in the file of a call that was talked in and of one that was busy', async () => {
  const talked = await user.place(testNumbers.answer, '{"team":"=1+1"}');
  await user.untilTalked(talked);
  const { body: live } = await user.api().get<{ reservation: object; entries: [] }>(`/calls/${talked}/money`);
  expect(live).toMatchObject({ call_price: null, reservation: { state: 'OPEN', released: 0 }, entries: [] });
  expect((await user.api().post(`/calls/${talked}/hangup`)).status).toBe(200);
  const call = await user.callWhen(talked, ({ call_price }) => call_price !== null);
  const busy = await user.place(testNumbers.busy);
  await user.callWhen(busy, ({ call_price }) => call_price !== null);

  // Every message as it passed, which is known a moment later.
  const capturedLadder = (id: string) =>
    eventually(async () => {
      const { body } = await user.api().get<Message[]>(`/calls/${id}/ladder`);
      return body.length > 0 && body.every(({ inferred }) => !inferred) && body;
    });
  const ladder = await capturedLadder(talked);
  ladder.forEach(({ at }) => expect(at).toMatch(isoTime));
  expect(ladder.map(({ at }) => at)).toEqual(ladder.map(({ at }) => at).sort());
  const extension = lines(ladder, 'EXTENSION');
  expect(extension[0]).toBe('OUT INVITE');
  expect(extension.slice(-4)).toEqual(['IN 200', 'OUT ACK', 'OUT BYE', 'IN 200']);
  // The carrier asks for the password first.
  const destination = lines(ladder, 'DESTINATION').filter((line) => !/1\d\d$/.test(line));
  expect(destination).toEqual([
    ...['OUT INVITE', 'IN 401', 'OUT ACK', 'OUT INVITE', 'IN 200', 'OUT ACK'],
    ...['OUT BYE', 'IN 200'],
  ]);
  const refused = await capturedLadder(busy);
  expect(refused.find(({ status }) => status === 486)).toMatchObject({
    leg: 'DESTINATION',
    reason: 'Busy Here',
    cseq: expect.stringMatching(/^\d+ INVITE$/) as unknown,
    inferred: false,
  });

  const { body: money } = await user.api().get<Record<string, unknown>>(`/calls/${talked}/money`);
  expect(money).toMatchObject({
    callId: talked,
    currency: 'BRL',
    rate: { prefix: expect.stringMatching(/^55/) as unknown, minute_price: call.minute_price, increment_seconds: 6 },
    duration: call.duration,
    billed_seconds: call.billed_seconds,
    increments: 0,
    call_price: call.call_price,
    reservation: { state: 'SETTLED' },
    entries: [{ kind: 'call', callId: talked, amount: -call.call_price! }],
  });
  const statement = await user
    .api()
    .get<{ data: object[] }>('/credits/statement', { query: { page: '1', callId: talked } });
  expect(statement.body.data).toEqual(money['entries']);

  const { body: summary } = await user
    .api()
    .get<{ total: object; causes: object[] }>('/calls/summary', { query: { startDate: call.started_at } });
  expect(summary).toMatchObject({
    interval: 'HOUR',
    currency: 'BRL',
    total: {
      calls: 2,
      live: 0,
      answered: 1,
      answerRate: 0.5,
      spend: call.call_price,
      outbound: 2,
      shortAnswered: 1,
      shortShare: 1,
    },
    causes: [
      { cause: 'NORMAL_CLEARING', calls: 1 },
      { cause: 'USER_BUSY', calls: 1 },
    ],
  });

  const file = await fetch(`${testStack().gatewayUrl}/api/v1/calls/export?called=${testNumbers.answer}`, {
    headers: { authorization: user.token },
  });
  expect(file.headers.get('content-type')).toBe('text/csv; charset=utf-8');
  const [, line, end] = Buffer.from(await file.arrayBuffer())
    .toString()
    .split('\r\n');
  expect(line).toContain(`${talked},outbound,ended,`);
  expect(line).toContain('"{""team"":""=1+1""}"');
  expect(end).toBe('');

  const stranger = await createAdmin(testStack());
  for (const part of ['ladder', 'money']) {
    expect(refusalOf(await stranger.api().get(`/calls/${talked}/${part}`))).toEqual(unknownId('call', talked));
  }
  expect((await stranger.api().get<{ total: object }>('/calls/summary')).body).toMatchObject({ total: { calls: 0 } });
});

it('says what a number costs, in any writing', async () => {
  const { body } = await user.api().get('/rates', { query: { number: '+55 (11) 98765-4321' } });
  expect(body).toMatchObject({
    destination: '5511987654321',
    prefix: '55119',
    minute_price: 0.11,
    minimum_seconds: 30,
  });
});
