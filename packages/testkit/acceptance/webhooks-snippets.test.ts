import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { findOnPath } from '@sabia/embedded/programs/find-on-path';
import { freePort } from '@sabia/embedded/process/ports';
import { projectRoot } from '@sabia/embedded/project';
import { Webhook } from 'standardwebhooks';
import { request } from 'undici';
import { stackEnvironment } from '../src/config';
import { eventually } from '../src/eventually';
import { createAdmin, type Person } from '../src/people';
import { testStack } from '../src/test-stack';

interface Sample {
  status: string;
  webhookId: string;
  payload: { id: string; eventType: string };
  attempts: { status: number | null; error: string | null }[];
}

interface Language {
  name: string;
  fence: string;
  file: string;
  program: string;
  /** Builds the receiver where necessary, and returns the command that starts it. */
  start(file: string, port: number): Promise<[program: string, args: string[]]> | [program: string, args: string[]];
}

const languages: Language[] = [
  {
    name: 'JavaScript',
    fence: 'js',
    file: 'receiver.mjs',
    program: 'node',
    start: (file) => [process.execPath, [file]],
  },
  { name: 'Python', fence: 'python', file: 'receiver.py', program: 'python3', start: (file) => ['python3', [file]] },
  {
    ...{ name: 'PHP', fence: 'php', file: 'receiver.php', program: 'php' },
    start: (file, port) => ['php', ['-S', `127.0.0.1:${port}`, file]],
  },
  {
    ...{ name: 'Go', fence: 'go', file: 'receiver.go', program: 'go' },
    async start(file) {
      const program = file.replace(/\.go$/, '');
      await promisify(execFile)('go', ['build', '-o', program, file]);
      return [program, []];
    },
  },
];
const { PATH = '' } = stackEnvironment({});
const present = languages.filter(
  ({ name, program }) => name === 'JavaScript' || findOnPath(program, PATH) !== undefined,
);

const page = readFileSync(join(projectRoot, 'docs/webhooks.md'), 'utf8');
const snippetOf = (fence: string): string =>
  new RegExp(`\`\`\`${fence}\\n([^]*?receiver\\.[^]*?)\`\`\``).exec(page)?.[1] ?? '';

let ana: Person;
let folder: string;
const running: ChildProcess[] = [];

beforeAll(async () => {
  const names = present.map(({ name }) => name).join(', ');
  process.stderr.write(`  snippets of docs/webhooks.md are run in ${names}\n`);
  ana = await createAdmin(testStack());
  folder = mkdtempSync(join(tmpdir(), 'sabia-snippets-'));
});

afterAll(() => {
  running.forEach((child) => child.kill('SIGKILL'));
  rmSync(folder, { recursive: true, force: true });
});

async function startReceiver({ file, fence, start }: Language, port: number, secret: string): Promise<() => string> {
  const path = join(folder, file);
  writeFileSync(path, snippetOf(fence));
  const [program, args] = await start(path, port);
  const env = stackEnvironment({ PORT: String(port), WEBHOOK_SECRET: secret });
  const child = spawn(program, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  running.push(child);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (output += text));
  await eventually(async () => (await post(port, '{}', {})) === 401);
  return () => output;
}

async function post(port: number, body: string, headers: Record<string, string>): Promise<number> {
  const answer = await request(`http://127.0.0.1:${port}/`, { method: 'POST', body, headers });
  await answer.body.dump();
  return answer.statusCode;
}

it.each(present)('the receiver in $name takes real webhooks and refuses forged and old ones', async (language) => {
  const port = await freePort();
  const metadata = { webhookUrl: `http://127.0.0.1:${port}/hook`, webhookTypes: ['channel-answer', 'channel-hangup'] };
  const integration = { gateway: language.name, webhook: true, metadata };
  const { body } = await ana.api().patch<{ id: number; webhookSecret: string }>('/integrations', integration);
  const { id, webhookSecret } = body;
  const output = await startReceiver(language, port, webhookSecret);

  const sendSamples = async () => (await ana.api().post<Sample[]>(`/integrations/${id}/test`)).body;
  const samples = await sendSamples();
  for (const { webhookId, payload, attempts } of samples) {
    expect(attempts).toMatchObject([{ status: 204, error: null }]);
    await eventually(() => output().includes(`${webhookId} ${payload.eventType} ${payload.id}`));
  }
  expect(samples).toHaveLength(2);

  const text = '{"eventType":"channel-hangup","id":"ação"}';
  const headersAt = (at: Date, secret = webhookSecret, signed = text) => ({
    'webhook-id': 'msg_1',
    'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    'webhook-signature': new Webhook(secret).sign('msg_1', at, signed),
  });
  const now = new Date();
  const ago = (seconds: number) => new Date(now.getTime() - seconds * 1000);
  expect(await post(port, text, headersAt(now))).toBe(204);
  expect(await post(port, `${text} `, headersAt(now))).toBe(401);
  expect(await post(port, text, headersAt(now, `whsec_${Buffer.alloc(32).toString('base64')}`))).toBe(401);
  expect(await post(port, text, headersAt(ago(360)))).toBe(401);
  expect(await post(port, text, headersAt(ago(-360)))).toBe(401);

  // The receiver still has the old secret, which stays valid for a day.
  expect((await ana.api().post(`/integrations/${id}/rotate-secret`)).status).toBe(200);
  expect(await sendSamples()).toMatchObject([{ status: 'delivered' }, { status: 'delivered' }]);
});
