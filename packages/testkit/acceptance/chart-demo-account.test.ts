import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { resolve } from 'node:path';
import { createMailbox } from '../src/mailbox';
import { createStackClient } from '../src/stack-client';
import { signUpBody } from '../src/sign-up';
import { testStack } from '../src/test-stack';

const root = resolve(__dirname, '../../..');

/** The stack's mailbox with the part of Mailpit's API that the script uses. */
async function startMailpit(): Promise<Server> {
  const mailbox = createMailbox(testStack().mailboxUrl);
  const server = createServer((request, response) => {
    void (async () => {
      const { pathname, searchParams } = new URL(request.url ?? '/', 'http://mailpit');
      const to = searchParams.get('query')?.replace(/^to:/, '') ?? decodeURIComponent(pathname.split('/').at(-1) ?? '');
      const mails = (await mailbox.mails()).filter((mail) => mail.to.split(', ').includes(to));
      const body = pathname.endsWith('/search')
        ? { messages: mails.map(() => ({ ID: encodeURIComponent(to) })) }
        : { Text: mails[0]?.text };
      response.end(JSON.stringify(body));
    })();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return server;
}

describe('the account of the demo in a cluster', () => {
  const { email, password, domain } = signUpBody();
  const account = { email, password, domain, extension: '1000', extensionPassword: 'a-phone-in-a-pod', reais: 100 };
  let mailpit: Server;

  beforeAll(async () => {
    mailpit = await startMailpit();
  });

  afterAll(() => mailpit.close());

  /** Runs the script as the pod does: in the folder of billing, with the environment of the chart. */
  async function makeAccount(): Promise<{ code: unknown; output: string }> {
    const { gatewayUrl, services } = testStack();
    const addressOf = (name: string) => services.find((service) => service.name === name)?.grpc;
    const child = spawn(process.execPath, [resolve(root, 'helm/sabia/files/demo-account.cjs')], {
      cwd: resolve(root, 'services/billing'),
      env: {
        GATEWAY_URL: gatewayUrl,
        MAILBOX_URL: `http://127.0.0.1:${(mailpit.address() as AddressInfo).port}`,
        IDENTITY_ADDRESS: addressOf('identity'),
        BILLING_ADDRESS: addressOf('billing'),
        WAIT_SECONDS: '120',
        ACCOUNT: JSON.stringify(account),
      },
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (text: Buffer) => (output += text.toString()));
    const [code] = (await once(child, 'close')) as unknown[];
    return { code, output };
  }

  it('has credit and an extension, however often its pod is started', async () => {
    for (const time of [1, 2]) {
      const { code, output } = await makeAccount();
      expect([time, code, output]).toEqual([time, 0, expect.stringContaining('has credit and the extension 1000')]);
    }
    const client = createStackClient(testStack());
    const { body: login } = await client.post<{ id: string }>('/users/login', { email, password });
    const asDemo = client.withToken(login.id);
    expect((await asDemo.get('/credits/balance')).body).toMatchObject({ balance: 100 });
    expect((await asDemo.get('/extensions')).body).toMatchObject([{ ramal: '1000', senha: 'a-phone-in-a-pod' }]);
    await client.close();
  });
});
