import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '@sabia/embedded/process/ports';
import { Webhook } from 'standardwebhooks';
import { request } from 'undici';
import { startCallingUser, type CallingUser } from '../src/calling-user';
import { eventually } from '../src/eventually';
import { createExamplePrograms, exampleLanguages, type ExamplePrograms } from '../src/guides/example-programs';
import { isPresent } from '../src/guides/follow-guide';
import { codeBlocksOf, readGuide } from '../src/guides/guide-blocks';
import { testStack } from '../src/test-stack';

interface Sample {
  status: string;
  webhookId: string;
  payload: { id: string; eventType: string };
  attempts: { status: number | null; error: string | null }[];
}

const stack = testStack();
const present = exampleLanguages.filter(({ fence }) => isPresent(fence));
let user: CallingUser;
let programs: ExamplePrograms;
let env: Record<string, string>;

beforeAll(async () => {
  const absent = exampleLanguages.filter((each) => !present.includes(each)).map(({ name }) => name);
  if (absent.length > 0) process.stderr.write(`  examples are not run in ${absent.join(', ')}: not installed\n`);
  programs = createExamplePrograms();
  user = await startCallingUser(stack, { ramal: '1000' });
  env = { API: `${stack.gatewayUrl}/api/v1`, TOKEN: user.token };
});

afterAll(async () => {
  programs?.stop();
  await user?.stop();
});

async function post(port: number, path: string, body: string, headers: Record<string, string> = {}) {
  const answer = await request(`http://127.0.0.1:${port}${path}`, { method: 'POST', body, headers });
  return { status: answer.statusCode, text: await answer.body.text() };
}

describe('the webhook receiver', () => {
  it.each(exampleLanguages)('in $name is the one of the guide', ({ fence, files }) => {
    const shown = codeBlocksOf(readGuide('en', 'webhooks')).filter(({ language }) => language === fence);
    expect(shown.map(({ text }) => text)).toEqual([readFileSync(files.receiver, 'utf8')]);
  });

  it.each(present)('in $name takes real webhooks and refuses forged and old ones', async (language) => {
    const port = await freePort();
    const metadata = {
      webhookUrl: `http://127.0.0.1:${port}/hook`,
      webhookTypes: ['channel-answer', 'channel-hangup'],
    };
    const integration = { gateway: language.name, webhook: true, metadata };
    const { body } = await user.api().patch<{ id: number; webhookSecret: string }>('/integrations', integration);
    const { id, webhookSecret } = body;
    const { output } = await programs.start(language, language.files.receiver, {
      PORT: String(port),
      WEBHOOK_SECRET: webhookSecret,
    });
    const given = async (text: string, headers: Record<string, string>) =>
      (await post(port, '/', text, headers)).status;
    await eventually(async () => (await given('{}', {})) === 401);

    const sendSamples = async () => (await user.api().post<Sample[]>(`/integrations/${id}/test`)).body;
    const samples = await sendSamples();
    for (const { webhookId, payload, attempts } of samples) {
      expect(attempts).toMatchObject([{ status: 204, error: null }]);
      await eventually(() => output().includes(`${webhookId} ${payload.eventType} ${payload.id}`));
    }
    expect(samples).toHaveLength(2);

    const text = '{"eventType":"channel-hangup","id":"ação"}';
    const headersAt = (at: Date, secret = webhookSecret) => ({
      'webhook-id': 'msg_1',
      'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
      'webhook-signature': new Webhook(secret).sign('msg_1', at, text),
    });
    const now = new Date();
    const ago = (seconds: number) => new Date(now.getTime() - seconds * 1000);
    expect(await given(text, headersAt(now))).toBe(204);
    expect(await given(`${text} `, headersAt(now))).toBe(401);
    expect(await given(text, headersAt(now, `whsec_${Buffer.alloc(32).toString('base64')}`))).toBe(401);
    expect(await given(text, headersAt(ago(360)))).toBe(401);
    expect(await given(text, headersAt(ago(-360)))).toBe(401);

    // The receiver still has the old secret, which stays valid for a day.
    expect((await user.api().post(`/integrations/${id}/rotate-secret`)).status).toBe(200);
    expect(await sendSamples()).toMatchObject([{ status: 'delivered' }, { status: 'delivered' }]);
    await user.api().delete(`/integrations/${id}`);
  });
});

it.each(present)('the button in $name places a call, and shows why one was refused', async (language) => {
  const port = await freePort();
  await programs.start(language, language.files.clickToCall, { ...env, PORT: String(port) });
  const page = await eventually(async () => (await request(`http://127.0.0.1:${port}/`)).body.text());
  expect(page).toContain('<button>Call</button>');
  const form = { 'content-type': 'application/x-www-form-urlencoded' };
  const press = (called: string) => post(port, '/call', new URLSearchParams({ called }).toString(), form);

  const { status, text } = await press(stack.testNumbers.answer);
  expect([status, text]).toEqual([200, expect.stringContaining('"success"')]);
  const { id } = JSON.parse(text) as { id: string };
  await user.untilTalked(id);
  expect((await user.call(id)).metadata).toEqual({ source: 'click-to-call' });
  await user.api().post(`/calls/${id}/hangup`);
  expect((await press('12')).status).toBe(422);
});

it.each(present)('the dialer in $name calls one number after the other and says how each call ended', async (each) => {
  const folder = mkdtempSync(join(tmpdir(), 'sabia-dialer-'));
  const list = join(folder, 'numbers.txt');
  // It answers, and hangs up after a second.
  const answers = `${stack.testNumbers.hangup.slice(0, -2)}01`;
  const { busy } = stack.testNumbers;
  writeFileSync(list, `12\n${busy}\n${answers}\n`);
  try {
    const { output, ended } = await programs.start(each, each.files.dialer, env, [list]);
    expect(await ended).toBe(0);
    expect(output().split('\n')).toEqual([
      '12 VALIDATION_ERROR',
      `${busy} USER_BUSY 0`,
      expect.stringMatching(new RegExp(`^${answers} NORMAL_CLEARING \\d+$`)),
      '',
    ]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
