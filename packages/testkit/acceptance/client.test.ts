import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Sabia, SabiaError, verifyWebhook, type Call, type LiveEvent } from '@sabia/client';
import { projectRoot } from '@sabia/embedded/project';
import { startCallingUser, type CallingUser } from '../src/calling-user';
import { testStack } from '../src/test-stack';
import { launchChromium } from '../src/web-phone/launch-chromium';
import { openWebhookInbox, type WebhookInbox } from '../src/webhook-inbox';

const { gatewayUrl, testNumbers } = testStack();
let user: CallingUser;
let inbox: WebhookInbox;
let sabia: Sabia;

beforeAll(async () => {
  [user, inbox] = await Promise.all([startCallingUser(testStack()), openWebhookInbox()]);
  const headers = { 'x-forwarded-for': user.client.address };
  const { id: token } = await new Sabia({ baseUrl: gatewayUrl, headers }).users.logIn(user);
  sabia = new Sabia({ baseUrl: gatewayUrl, token, headers });
});

afterAll(async () => {
  await user?.stop();
  await inbox?.close();
});

type EventOf<T extends LiveEvent['type']> = LiveEvent & { type: T };

async function firstOf<const T extends LiveEvent['type']>(
  events: AsyncIterable<LiveEvent>,
  type: T,
): Promise<EventOf<T>> {
  for await (const event of events) {
    if (event.type === type) return event as EventOf<T>;
  }
  throw new Error(`${type} did not come`);
}

test('a call is placed once, followed to its price, listed, and told in a webhook that can be verified', async () => {
  const { webhookSecret } = await sabia.webhooks.create({
    gateway: 'crm',
    webhook: true,
    metadata: { webhookUrl: inbox.urlOf('/crm'), webhookTypes: ['call-priced'] },
  });
  const events = sabia.events({ types: ['call.*'] });
  const first = events.next();
  const order = { extension: '2000', called: testNumbers.answer, metadata: { lead: 7 } };
  const idempotencyKey = `order-${user.domain}`;
  const [{ id }, again] = [
    await sabia.calls.create(order, { idempotencyKey }),
    await sabia.calls.create(order, { idempotencyKey }),
  ];
  expect(again.id).toBe(id);
  const created = (await first).value as LiveEvent;
  expect(created).toMatchObject({ type: 'call.created', callId: id });

  await user.untilTalked(id);
  await sabia.calls.hangUp(id);
  const rated = await firstOf(events, 'call.rated');
  const call = await sabia.calls.get(id);
  expect(call).toMatchObject({ id, call_price: rated.callPrice, metadata: { lead: 7 } });
  const repeated = await firstOf(sabia.events({ types: ['call.*'], after: created.cursor, callId: id }), 'call.rated');
  expect(repeated).toEqual(rated);

  expect((await sabia.calls.timeline(id)).map(({ kind }) => kind)).toContain('credit');
  const listed: Call[] = [];
  for await (const each of sabia.calls.list({ filter: { where: { 'metadata.lead': 7 }, limit: 1 } })) listed.push(each);
  expect(listed).toEqual([call]);
  expect(await sabia.calls.export({ filter: { where: { id } } })).toContain(id);

  const [webhook] = await inbox.waitFor('/crm', id, 1);
  const told = await verifyWebhook(webhook!.body, webhook!.headers, webhookSecret!);
  expect(told).toMatchObject({ eventType: 'call-priced', id, callPrice: call.call_price });
  await expect(verifyWebhook(`${webhook!.body} `, webhook!.headers, webhookSecret!)).rejects.toThrow('signatures');
});

const person = { first_name: 'Ana', last_name: 'Silva', email_address: 'ana@example.com' };

test('refusals have their code, status and fields', async () => {
  const refusalOf = (request: Promise<unknown>) => request.then(undefined, (error: SabiaError) => error);
  const invalid = await refusalOf(sabia.extensions.create({ ...person, ramal: '2001', senha: 'x' }));
  expect(invalid).toBeInstanceOf(SabiaError);
  expect(invalid).toMatchObject({ status: 422, code: 'VALIDATION_ERROR' });
  expect(Object.keys((invalid as SabiaError).fields)).toContain('senha');
  const foreign = await refusalOf(sabia.calls.get('019ec2d4-5a10-7c3e-9d6f-2b8a4c1e7f05'));
  expect(foreign).toMatchObject({ status: 404, code: 'MODEL_NOT_FOUND' });
  const nobody = new Sabia({ baseUrl: gatewayUrl, token: 'nobody', headers: { 'x-forwarded-for': '10.9.8.7' } });
  await expect(nobody.events().next()).rejects.toMatchObject({ status: 401 });
});

test('works as an import and a require of Node, and in a browser', async () => {
  const use = `new Sabia(${JSON.stringify({ baseUrl: gatewayUrl, token: user.token })}).users.me().then(({ email }) => console.log(email))`;
  const sources = [
    ['--input-type=module', '--eval', `import { Sabia } from '@sabia/client'; await ${use}`],
    ['--input-type=commonjs', '--eval', `const { Sabia } = require('@sabia/client'); void ${use}`],
  ];
  for (const args of sources) {
    const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: projectRoot });
    expect(stdout.trim()).toBe(user.email);
  }

  const browser = await launchChromium();
  try {
    const page = await (await browser.newContext({ bypassCSP: true })).newPage();
    const body = readFileSync(join(projectRoot, 'packages/client/dist/index.mjs'), 'utf8');
    await page.route('**/client.mjs', (route) => route.fulfill({ contentType: 'text/javascript', body }));
    await page.goto(gatewayUrl);
    // As text: the browser is to import it, and what jest makes of an import cannot.
    const told = await page.evaluate(`(async () => {
      const { Sabia } = await import('/client.mjs');
      const client = new Sabia({ baseUrl: location.origin, token: '${user.token}' });
      const next = client.events({ types: ['call.created'] }).next();
      const { code } = await client.calls.get('nothing').catch((error) => error);
      await client.calls.create({ extension: '2000', called: '${testNumbers.answer}' });
      return [(await client.users.me()).email, code, (await next).value.type];
    })()`);
    expect(told).toEqual([user.email, 'MODEL_NOT_FOUND', 'call.created']);
  } finally {
    await browser.close();
  }
});
