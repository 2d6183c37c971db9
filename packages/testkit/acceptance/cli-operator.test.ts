import { randomInt, randomUUID } from 'node:crypto';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createCli, type Cli } from '../src/cli';
import { topUp } from '../src/credit';
import { eventually } from '../src/eventually';
import { createAdmin, type Person } from '../src/people';
import { testStack } from '../src/test-stack';

const stack = testStack();
let cli: Cli;
let admin: Person & { domain: string };
/** The number of the admin's account. */
let account: string;

const operator = (...args: string[]) => cli.run(['operator', ...args]);
const json = <T>(...args: string[]) => cli.json<T>('operator', ...args);

beforeAll(async () => {
  cli = createCli(stack.gatewayUrl);
  admin = await createAdmin(stack);
  const login = await cli.run(['operator', 'login', '--demo'], { SABIA_HOME: stack.home });
  expect(login).toMatchObject({ code: 0, stderr: '' });
  const found = await json<{ id: number }[]>('accounts', '--search', admin.domain);
  expect(found).toEqual([expect.objectContaining({ domain: admin.domain })]);
  account = String(found[0]!.id);
  await eventually(async () => (await operator('accounts', 'show', account)).code === 0);
});
afterAll(() => cli?.remove());

test('the operator’s token is kept beside that of the account, and neither ends or replaces the other', async () => {
  const file = join(cli.folder, 'credentials.json');
  const kept = () => JSON.parse(readFileSync(file, 'utf8')) as Record<string, Record<string, unknown>>;
  const token = readFileSync(stack.operator.tokenFile, 'utf8').trim();
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(kept()).toEqual({ default: { operator: { url: stack.operator.url, token } } });
  expect(await cli.run(['whoami'])).toMatchObject({ code: 3 });

  expect(await cli.run(['login', '--token', admin.token])).toMatchObject({ code: 0 });
  expect(kept()['default']).toMatchObject({ token: admin.token, operator: { token } });
  expect(await operator('switches')).toMatchObject({ code: 0 });
  const second = ['--profile', 'second'];
  await operator('login', '--operator-url', stack.operator.url, '--operator-token', token, ...second);
  expect(kept()['second']).toEqual({ operator: { url: stack.operator.url, token } });
  const left = await operator('logout', ...second);
  expect(left.stdout + left.stderr).not.toContain(token);
  expect(Object.keys(kept())).toEqual(['default']);
  expect(await operator('switches', ...second)).toMatchObject({ code: 3 });

  const given = { SABIA_OPERATOR_URL: stack.operator.url, SABIA_OPERATOR_TOKEN: token };
  expect(await cli.run(['operator', 'switches', ...second], given)).toMatchObject({ code: 0 });
});

test('what an operator may not do or cannot reach has the exit code and the advice for it', async () => {
  const wrong = await operator('accounts', '--operator-token', admin.token);
  expect(wrong).toMatchObject({ code: 3, stderr: expect.stringContaining('sabia operator login') as string });
  const elsewhere = await operator('accounts', '--operator-url', 'http://127.0.0.1:9');
  expect(elsewhere).toMatchObject({ code: 3, stderr: expect.stringContaining(stack.operator.url) as string });
  const away = await operator('accounts', '--operator-url', '127.0.0.1:9', '--operator-token', 'any');
  expect(away).toMatchObject({ code: 5, stderr: expect.stringContaining('OPERATOR_PORT') as string });
  const codes = {
    'accounts show 999999999': 4,
    'accounts show x': 2,
    'accounts --operator-url http://:80': 2,
    [`accounts suspend ${account}`]: 2,
    [`accounts limit ${account}`]: 2,
    [`accounts limit ${account} --users many`]: 2,
    [`credit grant ${account} 5`]: 2,
    [`charges refund ${account} 999999999`]: 4,
    'rates import gold /nowhere.csv': 2,
    'switches drain nowhere': 4,
    'dead-letters replay 999999999': 4,
    'operators remove nobody': 4,
  };
  const got = await Promise.all(
    Object.keys(codes).map(async (words) => [words, (await operator(...words.split(' '))).code]),
  );
  expect(Object.fromEntries(got)).toEqual(codes);
});

test('an account is suspended with a reason and resumed', async () => {
  const suspended = await operator('accounts', 'suspend', account, '--reason', 'unpaid', '--lang', 'pt-BR');
  expect(suspended).toMatchObject({ code: 0, stdout: expect.stringContaining('suspensa') as string });
  expect((await admin.api().get('/users/me')).status).toBe(403);
  expect((await operator('accounts', 'show', account)).stdout).toMatch(/Status +suspended\nReason +unpaid/);
  expect(await json('accounts', 'resume', account)).toMatchObject({ suspendedAt: null });
  expect((await admin.api().get('/users/me')).status).toBe(200);
});

test('limits of an account are set one by one, and taken back', async () => {
  await operator('accounts', 'limit', account, '--live-calls', '50', '--users', '7');
  const changed = await operator('accounts', 'limit', account, '--extensions', '20', '--users', 'default');
  expect(changed.stdout).toMatch(/Calls at most +50\nExtensions at most +20\nUsers at most +default/);
  const kept = await operator('accounts', 'limit', account, '--recording-retention-days', '7');
  expect(kept.stdout).toMatch(/Days of recordings +7/);
  const limits = { liveCalls: 50, extensions: 20, users: null, recordingRetentionDays: 7 };
  expect(await json('accounts', 'show', account)).toMatchObject({ limits });
  const back = ['--live-calls', 'default', '--extensions', 'default', '--recording-retention-days', 'default'];
  await operator('accounts', 'limit', account, ...back);
  expect((await operator('accounts', 'show', account)).stdout).toMatch(/Extensions at most +default/);
});

test('credit is granted once for a key, and a charge refunded once', async () => {
  const grant = ['credit', 'grant', account, '12,50', '--description', 'An apology', '--idempotency-key', randomUUID()];
  for (const attempt of [1, 2]) {
    const { code, stdout } = await operator(...grant);
    expect([attempt, code, stdout]).toEqual([attempt, 0, 'Granted R$12.50; the balance is R$12.50.\n']);
  }
  await topUp(admin.api(), 20);
  const [charge] = await json<{ id: number }[]>('charges', 'list', account);
  for (const attempt of [1, 2]) {
    const refunded = await json('charges', 'refund', account, String(charge!.id));
    expect([attempt, refunded]).toMatchObject([attempt, { status: 'REFUNDED' }]);
  }
  expect(await json('credit', 'show', account)).toMatchObject({ balance: 12.5 });
  expect((await operator('credit', 'statement', account)).stdout).toMatch(/refund[^]*topup[^]*grant +An apology/);
});

test('rates are imported after a dry run that shows the differences', async () => {
  const deck = `deck-${randomUUID().slice(0, 8)}`;
  const file = join(cli.folder, 'rates.csv');
  const send = (csv: string, ...options: string[]) => {
    writeFileSync(file, csv);
    return operator('rates', 'import', deck, file, ...options);
  };
  const dry = await send('prefix,minute_price\n55,0.10\n1,0.20\n', '--dry-run');
  expect(dry.stdout).toMatch(/^55 +added +– +R\$0\.10/m);
  expect(dry.stdout).toContain('nothing has changed');
  expect(await operator('rates', 'show', deck)).toMatchObject({ code: 4 });
  expect((await send('prefix,minute_price\n55,0.10\n1,0.20\n')).stdout).toContain(`Imported into "${deck}"`);

  const replaced = await send('prefix,minute_price\n55,0.12\n', '--replace', '--lang', 'pt-BR');
  expect(replaced.stdout).toMatch(/^1 +encerrada +R\$ 0,20 +–[^]*^55 +mudada +R\$ 0,10 +R\$ 0,12/m);
  const wrong = await send('prefix,minute_price\n55,cheap\n');
  expect(wrong).toMatchObject({ code: 1, stderr: expect.stringMatching(/line 2: [^]*Nothing was imported/) as string });
  expect(await json('rates', 'history', deck)).toMatchObject([
    { lines: 1, changed: 1, ended: 1 },
    { lines: 2, added: 2 },
  ]);
  expect(await json<object[]>('rates', 'show', deck, '--prefix', '1')).toMatchObject([{ minutePrice: 0.2 }]);
  expect(await json('rates', 'assign', deck, account)).toEqual({ deck });
  expect((await operator('rates')).stdout).toMatch(new RegExp(`^${deck} +1 +1 `, 'm'));
  expect(await json('rates', 'assign', 'default', account)).toEqual({ deck: 'default' });
});

test('numbers, switches, trunks, operators, and the log of all of it', async () => {
  // Numbers are for accounts that can be called.
  await admin.api().post('/extensions/next-available', {});
  const number = `5511${randomInt(20_000_000, 59_999_999)}`;
  const proven = ['--title', 'PROVEN', '--note', 'bill of May'];
  expect((await operator('numbers', 'assign', number, account, ...proven)).stdout).toContain(`account ${account}`);
  expect((await operator('numbers', '--account', account)).stdout).toMatch(
    new RegExp(`^${number} .*PROVEN.*bill`, 'm'),
  );
  expect(await operator('numbers', 'release', number)).toMatchObject({ code: 0 });
  expect(await operator('numbers', '--account', account)).toMatchObject({ code: 0, stdout: '' });
  expect(await json('numbers', 'claims')).toBeInstanceOf(Array);

  const [node] = await json<{ name: string }[]>('switches');
  expect((await operator('switches', 'activate', node!.name)).stdout).toContain(`${node!.name}: active`);
  expect(await operator('trunks')).toMatchObject({ code: 0 });
  expect(await json('dead-letters', '--consumer', 'nobody')).toEqual({ data: [], next: null });

  const name = `Rosa ${randomUUID()}`;
  const rosa = await json<{ uuid: string; token: string }>('operators', 'add', name);
  expect(await operator('switches', '--operator-token', rosa.token)).toMatchObject({ code: 0 });
  expect(await operator('operators', 'remove', rosa.uuid)).toMatchObject({ code: 0 });
  expect(await operator('switches', '--operator-token', rosa.token)).toMatchObject({ code: 3 });
  expect((await operator('operators')).stdout).toMatch(new RegExp(`${name} .* until `));

  const acts = await json<{ act: string }[]>('audit', '--account', account, '--changes', '--limit', '100');
  expect(acts.map(({ act }) => act)).toEqual(expect.arrayContaining(['SuspendAccount', 'GrantAccountCredit']));
  expect(acts.map(({ act }) => act)).not.toContain('GetOperatedAccount');
  expect((await operator('audit', '--act', 'SuspendAccount', '--account', account)).stdout).toMatch(
    /SuspendAccount.*200/,
  );
});
