import { execFile } from 'node:child_process';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startCallingUser, type CallingUser } from '../src/calling-user';
import { createCli, type Cli } from '../src/cli';
import { testStack } from '../src/test-stack';
import { openWebhookInbox, verifyWebhook, type WebhookInbox } from '../src/webhook-inbox';

const { gatewayUrl, testNumbers } = testStack();
let user: CallingUser;
let inbox: WebhookInbox;
let cli: Cli;

beforeAll(async () => {
  [user, inbox] = await Promise.all([startCallingUser(testStack()), openWebhookInbox()]);
  cli = createCli(gatewayUrl);
  const login = await cli.run(['login', '--email', user.email], { SABIA_PASSWORD: user.password });
  expect(login).toMatchObject({ code: 0, stderr: '' });
  expect(login.stdout).toContain(user.email);
});

afterAll(async () => {
  await user?.stop();
  await inbox?.close();
  cli?.remove();
});

test('the token is kept where only its owner can read it, shown nowhere, and ended by logout', async () => {
  expect(statSync(join(cli.folder, 'credentials.json')).mode & 0o777).toBe(0o600);
  const other = ['--profile', 'other'];
  await cli.run(['login', '--email', user.email, ...other], { SABIA_PASSWORD: user.password });
  const kept = JSON.parse(readFileSync(join(cli.folder, 'credentials.json'), 'utf8')) as { other: { token: string } };
  expect(await cli.json('whoami', ...other)).toMatchObject({ email: user.email, profile: 'other', role: 'ADMIN' });
  const { stdout, stderr } = await cli.run(['logout', ...other]);
  expect(stdout + stderr).not.toContain(kept.other.token);
  expect((await user.api().withToken(kept.other.token).get('/users/me')).status).toBe(401);
  expect(await cli.run(['whoami', ...other])).toMatchObject({ code: 3 });
});

test('a call is followed to its price, and then shown with what happened to it', async () => {
  const { code, stdout } = await cli.run(['call', testNumbers.hangup, '--metadata', '{"lead":7}']);
  expect(code).toBe(0);
  expect(stdout).toMatch(/accepted[^]*answered[^]*ended: NORMAL_CLEARING[^]*costs R\$/);

  const [call] = await cli.json<{ id: string; metadata: object; call_price: number }[]>('calls', '--limit', '1');
  expect(call).toMatchObject({ metadata: { lead: 7 } });
  expect((await user.call(call!.id)).call_price).toBe(call!.call_price);
  const shown = await cli.run(['call', 'show', call!.id, '--lang', 'pt-BR']);
  expect(shown.stdout).toMatch(/Preço +R\$ 0,\d+ \(R\$ 0,\d+ por minuto\)[^]*O que aconteceu[^]*call rated/);
});

test('a call that is not answered, and what cannot be done, have exit codes of their own', async () => {
  const busy = await cli.run(['call', testNumbers.busy, '--json']);
  expect(busy).toMatchObject({ code: 6, stderr: expect.stringContaining('USER_BUSY') as string });
  const lines = busy.stdout.trim().split('\n');
  expect(lines.map((line) => (JSON.parse(line) as { type: string }).type)).toContain('call.ended');
  const codes = {
    frob: 2,
    'calls --limit none': 2,
    'call 551155500101 --metadata 7': 2,
    'call show 019ec2d4-5a10-7c3e-9d6f-2b8a4c1e7f05': 4,
    'call 551155500101 --extension 9999': 1,
    'doctor --url http://127.0.0.1:9': 7,
    'whoami --profile nobody': 3,
    'whoami --url http://127.0.0.1:9': 3,
  };
  const got = await Promise.all(
    Object.keys(codes).map(async (words) => [words, (await cli.run(words.split(' '))).code]),
  );
  expect(Object.fromEntries(got)).toEqual(codes);
  const unreachable = await cli.run(['whoami'], { SABIA_URL: 'http://127.0.0.1:9', SABIA_TOKEN: 'any' });
  expect(unreachable).toMatchObject({ code: 5, stderr: expect.stringContaining('sabia doctor') as string });
});

test('extensions, rates, charges and the state of everything', async () => {
  const extensions = await cli.json<object[]>('extensions');
  expect(extensions).toEqual([expect.objectContaining({ ramal: '2000', registered: true })]);
  expect(JSON.stringify(extensions)).not.toContain('senha');
  expect(await cli.json('rates', testNumbers.answer)).toMatchObject({ currency: 'BRL' });
  const charge = await cli.run(['charge', '12,50', '--lang', 'pt-BR']);
  expect(charge).toMatchObject({ code: 0, stdout: expect.stringMatching(/Valor +R\$ 12,50[^]*Pix +0002/) as string });
  const doctor = await cli.run(['doctor']);
  expect(doctor).toMatchObject({ code: 0, stdout: expect.stringContaining('Registered softphones: 2000') as string });
});

test('a sample goes to the own machine, signed, or from the platform to an integration', async () => {
  const local = await cli.run(['webhooks', 'trigger', '--type', 'call-priced', '--forward-to', inbox.urlOf('/local')]);
  expect(local.code).toBe(0);
  const [secret = ''] = /whsec_\S+/.exec(local.stderr) ?? [];
  const [sample] = inbox.received('/local');
  verifyWebhook(sample!, secret);
  expect(sample!.payload).toMatchObject({ eventType: 'call-priced', domain: user.domain });

  const body = { gateway: 'crm', webhook: true, metadata: { webhookUrl: inbox.urlOf('/crm') } };
  await user.api().patch('/integrations', body);
  const remote = await cli.run(['webhooks', 'trigger', 'crm']);
  expect(remote).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('channel-answer  delivered  200') as string,
  });
  expect(await cli.run(['webhooks', 'trigger', 'nothing'])).toMatchObject({ code: 4 });
});

test('a shell completes commands and options', async () => {
  const script = join(cli.folder, 'completion.bash');
  writeFileSync(script, (await cli.run(['completion', 'bash'])).stdout);
  const complete = async (...words: string[]) => {
    const quoted = words.map((word) => `'${word}'`).join(' ');
    const line = `source ${script}; COMP_WORDS=(${quoted}); COMP_CWORD=${words.length - 1}; _sabia; echo "\${COMPREPLY[@]}"`;
    return (await promisify(execFile)('bash', ['-c', line])).stdout.trim();
  };
  expect(await complete('sabia', 'web')).toBe('webhooks');
  expect(await complete('sabia', 'webhooks', 'li')).toBe('listen');
  expect(await complete('sabia', '--profile', 'x', 'webhooks', 'listen', '--f')).toBe('--forward-to --from-now');
});
