import { createServer, type Server } from 'node:http';
import { spawn } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '@sabia/embedded/process/ports';
import { Client } from 'pg';
import { request } from 'undici';
import { eventually } from '../src/eventually';
import { isRunning } from '../src/is-running';
import { createMailbox } from '../src/mailbox';
import { signUpUser } from '../src/sign-up';
import { PhoneBank } from '../src/softphone/phone-bank';
import { SipLine } from '../src/softphone/sip-line';
import { Softphone } from '../src/softphone/softphone';
import { createStackClient } from '../src/stack-client';
import { readProcesses, readStack, spawnStack, stopStack, type StackProcess } from '../src/stack-process';
import { testStack } from '../src/test-stack';

const TEST_NUMBERS = ['answer', 'ring', 'busy', 'noAnswer', 'unallocated', 'reject', 'hangup'];
const VOICE = ['asterisk', 'asterisk-2', 'edge', 'edge-2'];
const SERVICES = ['identity', 'extensions', 'telephony', 'billing', 'webhook'];

describe('a running stack', () => {
  it('writes all addresses to stack.json, readable to its owner only', () => {
    const { home } = testStack();
    const loopback = expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/) as string;
    expect(readStack(home)).toEqual({
      gatewayUrl: loopback,
      consoleUrl: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/demo\?key=[\w-]{32}$/) as string,
      operator: { url: loopback, tokenFile: join(home, 'operator-token') },
      mailboxUrl: loopback,
      postgresUrl: expect.stringMatching(/^postgres:\/\//) as string,
      natsUrl: expect.stringMatching(/^nats:\/\//) as string,
      redisUrl: expect.stringMatching(/^redis:\/\//) as string,
      sip: {
        udp: expect.stringMatching(/^127\.0\.0\.1:\d+$/) as string,
        tcp: expect.stringMatching(/^127\.0\.0\.1:\d+$/) as string,
        ws: readStack(home).gatewayUrl.replace('http', 'ws') + '/sip',
      },
      demo: {
        email: expect.stringContaining('@') as string,
        password: expect.any(String) as string,
        token: expect.stringMatching(/^[\w-]{64}$/) as string,
        domain: expect.stringMatching(/\.sabia\.localhost$/) as string,
        extension: { ramal: '1000', senha: expect.stringMatching(/^[\w-]{16}$/) as string },
      },
      testNumbers: Object.fromEntries(
        TEST_NUMBERS.map((name) => [name, expect.stringMatching(/^55\d{10}$/) as string]),
      ),
      testCarrier: {
        sip: expect.stringMatching(/^127\.0\.0\.1:\d+$/) as string,
        domain: 'test-carrier.invalid',
        username: 'test-carrier',
        password: expect.any(String) as string,
      },
      services: SERVICES.map((name) => ({
        name,
        pid: expect.any(Number) as number,
        grpc: expect.stringMatching(/^127\.0\.0\.1:\d+$/) as string,
      })),
    });
    expect(statSync(join(home, 'stack.json')).mode & 0o777).toBe(0o600);
    expect(statSync(join(home, 'secrets.json')).mode & 0o777).toBe(0o600);
  });

  it('has a demo account whose token works at every gateway', async () => {
    const { demo, gatewayUrls } = testStack();
    expect(gatewayUrls).toHaveLength(2);
    for (const gatewayUrl of gatewayUrls) {
      const me = await createStackClient({ gatewayUrl, token: demo.token }).get('/users/me');
      expect(me).toMatchObject({ status: 200, body: { email: demo.email, role: 'ADMIN' } });
    }
  });

  it('has given the demo account its extension and, once, 100 reais', async () => {
    const { demo, gatewayUrl } = testStack();
    const client = createStackClient({ gatewayUrl, token: demo.token });
    const { body: extensions } = await client.get('/extensions');
    expect(extensions).toEqual(expect.arrayContaining([expect.objectContaining(demo.extension)]));
    const { body: statement } = await client.get('/credits/statement');
    const { data } = statement as { data: { kind: string; amount: number }[] };
    expect(data.filter(({ kind }) => kind === 'grant')).toMatchObject([{ amount: 100 }]);
  });

  it('registers a softphone with nothing but the fields of stack.json', async () => {
    const { demo, sip } = testStack();
    const phone = await Softphone.start({ ...demo.extension, domain: demo.domain, server: sip?.udp ?? '' });
    try {
      await phone.waitRegistered();
    } finally {
      await phone.kill();
    }
  });

  it('catches every mail: a list for programs, a page for people', async () => {
    const { mailboxUrl, demo } = testStack();
    const mails = await createMailbox(mailboxUrl).mails();
    expect(mails.map(({ to }) => to)).toContain(demo.email);
    expect(Object.keys(mails[0] ?? {}).sort()).toEqual(['at', 'html', 'subject', 'text', 'to']);
    const times = mails.map(({ at }) => Date.parse(at));
    expect(times).toEqual([...times].sort((a, b) => b - a));

    const page = await request(mailboxUrl, { headers: { accept: 'text/html' } });
    expect(page.headers['content-type']).toMatch(/^text\/html/);
    expect(await page.body.text()).toContain('<title>Caixa de entrada');
  });
});

describe('a stack with two nodes and two edges that is mistreated', () => {
  const fleet = { asterisk: true, args: ['--switches', '2', '--edges=2'] };
  let stack: StackProcess;
  let sipWsPort: number;

  beforeAll(async () => {
    sipWsPort = await freePort();
    stack = await spawnStack({ ...fleet, settings: { SABIA_SIP_WS_PORT: String(sipWsPort) } });
    await stack.ready();
  });

  afterAll(async () => {
    await stack.end();
  });

  const pidOf = (name: string) => readProcesses(stack.home.path).processes.find((each) => each.name === name)?.pid;
  const works = async () => {
    const { gatewayUrl, demo } = readStack(stack.home.path);
    const me = await createStackClient({ gatewayUrl, token: demo.token }).get('/users/me');
    return me.status === 200;
  };

  /** Calls until every node has one; the phone is at each edge in turn. */
  async function callsOnAll(): Promise<void> {
    const { demo, gatewayUrl, postgresUrl, testNumbers } = readStack(stack.home.path);
    const ports = JSON.parse(readFileSync(join(stack.home.path, 'ports.json'), 'utf8')) as Record<string, number>;
    const client = createStackClient({ gatewayUrl, token: demo.token });
    const sql = new Client({ connectionString: postgresUrl });
    await sql.connect();
    for (const edge of ['edge', 'edge-2']) {
      const bank = await PhoneBank.open({ server: `127.0.0.1:${ports[`${edge}-sip`]}` });
      await bank.register({ ...demo.extension, domain: demo.domain });
      const ids: string[] = [];
      const switches = () => sql.query('SELECT DISTINCT switch FROM telephony.live_calls ORDER BY 1', []);
      await eventually(async () => {
        const call = { extension: demo.extension.ramal, called: testNumbers.answer };
        const placed = await client.post<{ id: string }>('/calls', call);
        if (placed.status !== 200) throw new Error(`POST /calls answered ${placed.status}: ${placed.text}`);
        ids.push(placed.body.id);
        await eventually(() => bank.talking.length === ids.length);
        return (await switches()).rows.length === 2;
      });
      expect((await switches()).rows).toEqual([{ switch: 'asterisk' }, { switch: 'asterisk-2' }]);
      await eventually(() => bank.talking.every(({ heard }) => heard > 50));
      for (const id of ids) expect((await client.post(`/calls/${id}/hangup`)).status).toBe(200);
      await eventually(() => bank.talking.length === 0);
      await eventually(async () => (await switches()).rows.length === 0);
      bank.end();
    }
    await sql.end();
  }

  it('has the port for web phones that was asked for', async () => {
    const { demo } = readStack(stack.home.path);
    const line = await SipLine.open({ transport: 'WS', server: `ws://127.0.0.1:${sipWsPort}` });
    expect(await line.register({ ...demo.extension, domain: demo.domain })).toBe(200);
    line.close();
    expect((await request(`http://127.0.0.1:${sipWsPort}/docs`)).statusCode).toBe(404);
  });

  it('carries calls on both nodes, of phones at both edges', callsOnAll);

  it.each([...SERVICES, 'gateway', 'mailbox', 'postgres', 'nats', 'redis', ...VOICE])(
    'brings %s back after kill -9, and requests succeed again',
    async (name) => {
      const before = pidOf(name);
      expect(before).toBeDefined();
      process.kill(before ?? 0, 'SIGKILL');
      await eventually(() => pidOf(name) !== undefined && pidOf(name) !== before);
      await eventually(works);
      if (SERVICES.includes(name)) {
        expect(readStack(stack.home.path).services.find((service) => service.name === name)?.pid).toBe(pidOf(name));
      }
    },
  );

  it('sends mails again after the mailbox was killed, and still has the old ones', async () => {
    const { mailboxUrl, demo } = readStack(stack.home.path);
    const user = await signUpUser(readStack(stack.home.path));
    const mails = await createMailbox(mailboxUrl).mails();
    expect(mails.map(({ to }) => to)).toEqual(expect.arrayContaining([demo.email, user.email]));
  });

  it('refuses a second start in the same home and says where the first one is', async () => {
    for (const args of [[], ['--fresh']]) {
      const second = await spawnStack({ home: stack.home, args });
      await expect(second.exited).resolves.toBe(1);
      expect(second.output()).toContain('already running');
      expect(second.output()).toContain(readStack(stack.home.path).gatewayUrl);
    }
    expect(await works()).toBe(true);
  });

  it('recovers from kill -9 of the supervisor without losing anything', async () => {
    const user = await signUpUser(readStack(stack.home.path));
    const { demo } = readStack(stack.home.path);
    const orphans = readProcesses(stack.home.path).processes.flatMap(({ pid }) => pid ?? []);
    stack.signal('SIGKILL');
    await stack.exited;
    expect(orphans.some(isRunning)).toBe(true);

    stack = await spawnStack({ ...fleet, home: stack.home, port: stack.port });
    const recovered = await stack.ready();
    expect(stack.output()).toContain('left behind');
    expect(orphans.some(isRunning)).toBe(false);
    expect(recovered.demo).toEqual(demo);
    const me = await createStackClient({ gatewayUrl: recovered.gatewayUrl, token: user.token }).get('/users/me');
    expect(me).toMatchObject({ status: 200, body: { email: user.email } });
    await callsOnAll();
  });

  it('ends all it started on Ctrl-C, and nothing else', async () => {
    const bystander = spawn(process.execPath, ['-e', 'setInterval(() => undefined, 1000)'], { stdio: 'ignore' });
    const own = readProcesses(stack.home.path).processes.flatMap(({ pid }) => pid ?? []);
    expect(own).toHaveLength(14);
    stack.signal('SIGINT');
    // npm forwards the signal that the terminal has already sent to all its processes.
    stack.signal('SIGINT');
    await expect(stack.exited).resolves.toBe(0);
    expect(own.filter(isRunning)).toEqual([]);
    expect(existsSync(join(stack.home.path, 'stack.json'))).toBe(false);
    expect(isRunning(bystander.pid ?? 0)).toBe(true);
    bystander.kill();
  });

  it('is ended by npm stop, and so are the processes left by a killed supervisor', async () => {
    for (const crash of [false, true]) {
      stack = await spawnStack({ home: stack.home, port: stack.port, asterisk: true });
      await stack.ready();
      const own = readProcesses(stack.home.path).processes.flatMap(({ pid }) => pid ?? []);
      if (crash) {
        stack.signal('SIGKILL');
        await stack.exited;
      }
      expect(await stopStack(stack.home.path)).toContain('stopped');
      expect(own.filter(isRunning)).toEqual([]);
      expect(existsSync(join(stack.home.path, 'stack.json'))).toBe(false);
    }
    expect(await stopStack(stack.home.path)).toContain('nothing is running');
  });
});

describe('a port that is taken', () => {
  let other: Server;

  beforeAll(async () => {
    other = createServer();
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  });

  afterAll(() => {
    other.close();
  });

  it('is named together with the variable that chooses another one, before anything else is done', async () => {
    const address = other.address();
    const port = typeof address === 'object' && address ? address.port : 0;
    const stack = await spawnStack({ port });
    await expect(stack.exited).resolves.toBe(1);
    expect(stack.output()).toMatch(new RegExp(`${port} is taken.*SABIA_PORT`));
    expect(existsSync(join(stack.home.path, 'postgres'))).toBe(false);
    stack.home.remove();
  });
});
