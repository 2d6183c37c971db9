import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { request } from 'undici';
import { eventually } from '../src/eventually';
import { signUpUser, type SignedUpUser } from '../src/sign-up';
import { measureSound } from '../src/softphone/wave-file';
import { Softphone } from '../src/softphone/softphone';
import { testStack } from '../src/test-stack';

jest.setTimeout(90_000);

interface Call {
  id: string;
  status: string;
  from: string;
  to: string;
  call_type: string;
  started_at: string;
  answered_at: string | null;
  ended_at: string | null;
  duration: number;
  hangup_cause: string | null;
  record_url: string | null;
  minute_price: number | null;
  call_price: number | null;
  metadata: unknown;
}

interface Movement {
  amount: number;
  call_id: string | null;
}

const { sip, testNumbers } = testStack();
let user: SignedUpUser;
let phone: Softphone;

async function topUp(amount: number): Promise<void> {
  const dueDate = new Date(Date.now() + 2 * 86_400_000).toISOString().slice(0, 10);
  const charge = await user.client.post<{ paymentLink: string; status: string }>('/charges', {
    paymentMethod: 'PIX',
    amount,
    dueDate,
    description: 'credit',
  });
  expect(charge).toMatchObject({ status: 200, body: { status: 'PENDING' } });
  const paid = await request(charge.body.paymentLink, { method: 'POST' });
  expect(paid.statusCode).toBe(200);
  await paid.body.dump();
}

async function place(called: string, metadata: object = {}): Promise<string> {
  const placed = await user.client.post<{ status: string; id: string }>('/calls', {
    caller: '2000',
    called,
    extension: 2000,
    metadata,
  });
  expect(placed).toMatchObject({ status: 200, body: { status: 'success' } });
  return placed.body.id;
}

const get = async (id: string): Promise<Call> =>
  (await user.client.fromAnotherAddress().get<Call>(`/calls/${id}`)).body;
const until = (id: string, is: (call: Call) => boolean): Promise<Call> =>
  eventually(
    async () => {
      const call = await get(id);
      return is(call) && call;
    },
    { timeoutMs: 45_000 },
  );

beforeAll(async () => {
  user = await signUpUser(testStack());
  await topUp(50);
  const extension = { ramal: '2000', senha: 'segredo-2000', first_name: 'Ana', last_name: 'Silva' };
  const body = { ...extension, email_address: user.email, gravar_audio: 1 };
  expect((await user.client.post('/extensions', body)).status).toBe(200);
  phone = await Softphone.start({ ...extension, domain: user.domain, server: sip?.udp ?? '' });
  await phone.waitRegistered();
  await eventually(async () => {
    const [listed] = (await user.client.fromAnotherAddress().get<{ registered: boolean }[]>('/extensions')).body;
    return listed?.registered;
  });
}, 120_000);

afterAll(async () => {
  await phone?.stop();
});

describe('a call placed over REST', () => {
  it('is answered, recorded, hung up, priced and in the statement, with one id everywhere', async () => {
    const metadata = { leadId: 7, nested: { a: [1, '2'] } };
    const id = await place(testNumbers.answer, metadata);
    await until(id, ({ status }) => status === 'answered');
    await eventually(() => phone.heard().loudness > 300);
    const hungUp = await user.client.post(`/calls/${id}/hangup`);
    expect(hungUp).toMatchObject({ status: 200, body: { status: 'success', id } });

    const ended = await until(id, ({ call_price, record_url }) => call_price !== null && record_url !== null);
    expect(ended).toMatchObject({ status: 'ended', from: '2000', hangup_cause: 'NORMAL_CLEARING', metadata });
    expect(ended.call_type).toBe('outbound');
    expect(Date.parse(ended.answered_at ?? '')).toBeGreaterThanOrEqual(Date.parse(ended.started_at));
    expect(ended.call_price).toBeGreaterThan(0);
    expect((await user.client.post(`/calls/${id}/hangup`)).status).toBe(404);

    const recording = await request(ended.record_url ?? '');
    expect(recording.headers['content-type']).toBe('audio/wav');
    const sound = measureSound(Buffer.from(await recording.body.arrayBuffer()));
    expect(sound.loudness).toBeGreaterThan(100);
    const forged = await request((ended.record_url ?? '').replace(/=./, (start) => (start === '=A' ? '=B' : '=A')));
    expect(forged.statusCode).toBe(403);
    await forged.body.dump();

    const statement = await user.client.get<{ data: Movement[] }>('/credits/statement?page=1');
    const movements = statement.body.data.filter((movement) => JSON.stringify(movement).includes(id));
    expect(movements.map(({ amount }) => amount)).toEqual([-(ended.call_price ?? 0)]);
    const listed = await user.client.get<{ data: Call[] }>(
      `/calls?page=1&filter=${encodeURIComponent('{"where":{"metadata.leadId":7}}')}`,
    );
    expect(listed.body.data.map((call) => call.id)).toEqual([id]);
  });

  it.each([
    ['busy', 'USER_BUSY'],
    ['unallocated', 'UNALLOCATED_NUMBER'],
    ['reject', 'CALL_REJECTED'],
  ] as const)('to the %s number ends with %s and costs nothing', async (name, cause) => {
    const call = await until(await place(testNumbers[name]), ({ status }) => status === 'ended');
    expect(call).toMatchObject({ hangup_cause: cause, duration: 0, answered_at: null });
  });

  it('ends when the destination hangs up', async () => {
    const call = await until(await place(testNumbers.hangup), ({ status }) => status === 'ended');
    expect(call).toMatchObject({ hangup_cause: 'NORMAL_CLEARING' });
    expect(call.answered_at).not.toBeNull();
    expect(call.duration).toBeGreaterThan(0);
  });

  it('ends when the softphone hangs up', async () => {
    const id = await place(testNumbers.answer);
    await until(id, ({ status }) => status === 'answered');
    await phone.hangup();
    const call = await until(id, ({ status }) => status === 'ended');
    expect(call).toMatchObject({ hangup_cause: 'NORMAL_CLEARING' });
  });

  it('is refused with the exact reason', async () => {
    const client = user.client.fromAnotherAddress();
    const refused = async (body: object) => {
      const { status, body: answer } = await client.post<{ error: { code: string; message: string } }>('/calls', body);
      return [status, answer.error.code];
    };
    expect(await refused({ called: testNumbers.answer, extension: '2999' })).toEqual([422, 'VALIDATION_ERROR']);
    expect(await refused({ called: '12', extension: '2000' })).toEqual([422, 'VALIDATION_ERROR']);
    expect(
      await refused({ called: testNumbers.answer, extension: '2000', metadata: { a: 'x'.repeat(20_000) } }),
    ).toEqual([422, 'VALIDATION_ERROR']);
    const quiet = { ramal: '2001', senha: 'segredo-2001', first_name: 'A', last_name: 'B', email_address: user.email };
    expect((await client.post('/extensions', quiet)).status).toBe(200);
    const unregistered = await client.post('/calls', { called: testNumbers.answer, extension: '2001' });
    expect(unregistered).toMatchObject({
      status: 422,
      body: { error: { code: 'USER_NOT_REGISTERED', message: 'user not registered' } },
    });
  });
});

describe('what a receiver hears of a call', () => {
  let receiver: Server;
  const heard: { eventType: string; id: string; metadata: unknown }[] = [];

  beforeAll(async () => {
    receiver = createServer((incoming, response) => {
      const parts: Buffer[] = [];
      incoming.on('data', (part: Buffer) => parts.push(part));
      incoming.on('end', () => {
        heard.push(JSON.parse(Buffer.concat(parts).toString()) as (typeof heard)[number]);
        response.end('ok');
      });
    });
    await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  });

  afterAll(() => {
    receiver.close();
  });

  it('is its answer and its end, in order, with the metadata as sent', async () => {
    const webhookUrl = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`;
    const integration = await user.client.patch('/integrations', {
      gateway: 'crm',
      webhook: true,
      webhookConstraint: { campaign: 'x' },
      metadata: { webhookUrl, webhookTypes: ['channel-answer', 'channel-hangup'] },
    });
    expect(integration.status).toBe(200);
    const id = await place(testNumbers.hangup, { campaign: 'x', n: 1 });
    await eventually(() => heard.length >= 2, { timeoutMs: 45_000 });
    expect(heard.map((event) => [event.eventType, event.id, event.metadata])).toEqual([
      ['channel-answer', id, { campaign: 'x', n: 1 }],
      ['channel-hangup', id, { campaign: 'x', n: 1 }],
    ]);
  });
});
