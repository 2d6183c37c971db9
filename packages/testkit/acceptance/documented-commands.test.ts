import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { projectRoot } from '@sabia/embedded/project';
import { startCallingUser, type CallingUser } from '../src/calling-user';
import { stackEnvironment } from '../src/config';
import { confirmationLink, signUpBody } from '../src/sign-up';
import { testStack } from '../src/test-stack';
import { openWebhookInbox, type WebhookInbox } from '../src/webhook-inbox';

/** The commands of a page as written, with the statuses that a comment behind them names. */
function commandsOf(page: string): { command: string; expected: number[] }[] {
  const text = readFileSync(join(projectRoot, 'docs', page), 'utf8');
  const blocks = [...text.matchAll(/```bash\n([^]*?)```/g)].map(([, block]) => block ?? '');
  const commands = blocks.flatMap((block) => block.split(/^(?=curl )/m)).filter((each) => each.startsWith('curl '));
  return commands.map((command) => ({
    command,
    expected: [...(/ # (.*)$/m.exec(command)?.[1] ?? '200').matchAll(/\d{3}/g)].map(Number),
  }));
}

let user: CallingUser;
let inbox: WebhookInbox;
/** Values that the reader of a page fills in. */
let variables: Record<string, string>;

beforeAll(async () => {
  inbox = await openWebhookInbox();
  user = await startCallingUser(testStack(), { ramal: '1000' });
  const waiting = signUpBody();
  await user.api().post('/accounts/signup', waiting);
  const link = new URL(await confirmationLink(testStack().mailboxUrl, waiting.email));
  variables = {
    API: `${user.client.gatewayUrl}/api/v1`,
    ...{ EMAIL: user.email, PASSWORD: user.password, TOKEN: user.token, KEY: randomBytes(8).toString('hex') },
    CODE: link.searchParams.get('token') ?? '',
    ADDRESS: user.api().address,
  };
});

afterAll(async () => {
  await user?.stop();
  await inbox?.close();
});

const curl = `curl() { command curl -sS -w '\\n%{http_code}' -H "X-Forwarded-For: $ADDRESS" "$@"; }`;

async function run(command: string): Promise<{ status: number; body: string }> {
  const hook = command.replace('https://crm.example.com/sabia', inbox.urlOf('/sabia'));
  const { stdout } = await promisify(execFile)('bash', ['-c', `${curl}\n${hook}`], {
    env: stackEnvironment(variables),
  });
  const end = stdout.lastIndexOf('\n');
  return { status: Number(stdout.slice(end + 1)), body: stdout.slice(0, end) };
}

/** Keeps the values of an answer that later commands use. */
async function remember(command: string, body: string): Promise<void> {
  if (command.includes('/users/logout')) {
    const login = await user.api().post<{ id: string }>('/users/login', { email: user.email, password: user.password });
    variables.TOKEN = login.body.id;
  } else if (/POST "\$API\/calls"/.test(command)) {
    variables.CALL = (JSON.parse(body) as { id: string }).id;
  } else if (/POST "\$API\/phone"/.test(command)) {
    variables.EXTENSION = String((JSON.parse(body) as { extension: { id: number } }).extension.id);
  } else if (/PATCH "\$API\/integrations"/.test(command)) {
    variables.ID = String((JSON.parse(body) as { id: number }).id);
  } else if (command.includes('$ID/test')) {
    variables.DELIVERY = (JSON.parse(body) as { id: string }[])[0]?.id ?? '';
  }
}

it.each(['api.md', 'webhooks.md'])('every command of docs/%s does what the page says', async (page) => {
  const commands = commandsOf(page);
  expect(commands.length).toBeGreaterThan(8);
  for (const { command, expected } of commands) {
    const { status, body } = await run(command);
    if (!expected.includes(status)) throw new Error(`${command}answered ${status}:\n${body}`);
    await remember(command, body);
  }
});
