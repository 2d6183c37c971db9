import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { openCallingAccount, type CallingAccount } from '../src/calling-account';
import { createCli, type Cli, type RunningCli } from '../src/cli';
import { openEvents, type TestEventSource } from '../src/event-source';
import { eventually } from '../src/eventually';
import { testStack } from '../src/test-stack';
import { verifyWebhook, type ReceivedWebhook } from '../src/webhook-inbox';

const stack = testStack();
/** The webhook of each event; the others are not told. */
const types: Record<string, string> = {
  'call.created': 'channel-create',
  'call.answered': 'channel-answer',
  'call.ended': 'channel-hangup',
  'call.rated': 'call-priced',
};
let account: CallingAccount;
let events: TestEventSource;
let cli: Cli;
let listener: RunningCli;
/** What the receiver has answered; a webhook without an answer has not been taken. */
const taken: ReceivedWebhook[] = [];
let beforeAnswer: (request: IncomingMessage, response: ServerResponse) => boolean = () => true;

const receiver = createServer((request, response) => {
  let body = '';
  request.setEncoding('utf8').on('data', (text: string) => (body += text));
  request.on('end', () => {
    if (!beforeAnswer(request, response)) return;
    const { headers, url: path = '' } = request;
    taken.push({ path, headers, body, payload: JSON.parse(body) as Record<string, unknown> });
    response.writeHead(204).end();
  });
});

beforeAll(async () => {
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  account = await openCallingAccount(stack, { extensions: 4, users: 3, credit: 50 });
  const token = account.users[0]!.token;
  events = await openEvents(stack.gatewayUrl, { token, query: '?types=call.*' });
  cli = createCli(stack.gatewayUrl);
  await cli.run(['login', '--token', token]);
});

afterAll(async () => {
  listener?.process.kill('SIGKILL');
  events?.close();
  account?.bank.end();
  receiver.closeAllConnections();
  receiver.close();
  cli?.remove();
});

function listen(): void {
  const { port } = receiver.address() as AddressInfo;
  listener = cli.start(['webhooks', 'listen', '--forward-to', `localhost:${port}/hooks`]);
}

/** Kills the listener with kill -9 while the receiver holds a webhook that it has not answered. */
async function killAt(count: number): Promise<void> {
  let isKilled = false;
  beforeAnswer = () => {
    if (taken.length < count) return true;
    isKilled = listener.process.kill('SIGKILL');
    return false;
  };
  await eventually(() => {
    if (!isKilled) throw new Error(`${taken.length} of ${count} webhooks were taken: ${listener.stderr()}`);
    return true;
  });
  await listener.ended;
  beforeAnswer = () => true;
}

async function placeCalls(count: number): Promise<void> {
  for (let placed = 0; placed < count; placed += 1) {
    expect(await account.place(stack.testNumbers.busy, { placed })).toHaveProperty('id');
  }
}

const toldEvents = () => events.heard.filter(({ event }) => event in types);
const allPriced = (calls: number) =>
  eventually(() => events.heard.filter(({ event }) => event === 'call.rated').length === calls);

test('killed under traffic and started again, listen forwards every event once, in order, signed', async () => {
  listen();
  // A listener that has never listened begins with what happens after it is connected.
  await eventually(() => listener.stderr().includes('Connected'));
  await placeCalls(1);
  let calls = 1;
  await eventually(() => taken.length > 0);

  const killed = killAt(taken.length + 4);
  await placeCalls(5);
  await killed;
  // Away: what happens now must come later.
  await placeCalls(8);
  calls += 13;
  await allPriced(calls);
  expect(taken.length).toBeLessThan(toldEvents().length);

  listen();
  await killAt(taken.length + 10);
  listen();
  await placeCalls(4);
  calls += 4;
  await allPriced(calls);
  await eventually(() => taken.length >= toldEvents().length);

  const idOf = ({ headers }: ReceivedWebhook) => headers['webhook-id'];
  expect(taken.map(idOf)).toEqual(toldEvents().map(({ data }) => `msg_${String(data['id'])}`));
  expect(taken.map(({ payload }) => [payload.eventType, payload.callId])).toEqual(
    toldEvents().map(({ event, data }) => [types[event], data['callId']]),
  );
  const [secret = ''] = /whsec_\S+/.exec(listener.stdout()) ?? [];
  for (const webhook of taken) {
    expect(webhook.payload.metadata).toEqual({ placed: expect.any(Number) as number });
    verifyWebhook(webhook, secret);
  }

  const second = await cli.run(['webhooks', 'listen', '--forward-to', 'localhost:1']);
  expect(second).toMatchObject({ code: 1, stderr: expect.stringContaining(String(listener.process.pid)) as string });
  listener.process.kill('SIGINT');
  expect(await listener.ended).toMatchObject({ code: 0 });
});
