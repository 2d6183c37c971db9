import { ErrorKind } from '@sabia/protos/sabia/api/v1/error';
import { refusal } from '@sabia/testkit/refused-rpc';
import { create, newAccount, openHome } from './harness';
import type { Home, RunningExtensions } from './harness';

let home: Home;
let service: RunningExtensions;

beforeAll(async () => {
  home = await openHome();
  service = await home.start({
    ice: {
      servers: [{ urls: ['stun:stun.example.com'] }, { urls: ['turn:turn.example.com'] }],
      turnSecret: 'a secret of TURN',
      credentialSeconds: 3_600,
    },
    sipServers: [{ host: 'sip.example.com', port: 5060, transport: 'udp' }],
  });
});

afterAll(async () => {
  await service?.stop();
  await home?.close();
});

test('the phone of a user is the own extension, with its senha, and servers for the way through NAT', async () => {
  const { admin, ana } = newAccount();
  await create(service.as(admin), { ramal: '2000', email_address: 'bob@example.com' });
  const own = await create(service.as(admin), { ramal: '2001', email_address: 'Ana@Example.com' });
  await create(service.as(admin), { ramal: '2002', email_address: 'ana@example.com' });

  const { phone } = await service.as(ana).getPhone({});
  expect(phone).toMatchObject({
    extension: own,
    websocketPath: '/sip',
    iceServers: [
      { urls: ['stun:stun.example.com'], username: undefined },
      { urls: ['turn:turn.example.com'], username: expect.stringContaining(`:${ana.userUuid}`) },
    ],
    autoAnswer: { header: 'Call-Info', contains: 'answer-after=0' },
    sipServers: [{ host: 'sip.example.com', port: 5060, transport: 'udp' }],
  });
  expect(phone!.extension!.senha).toBe('segredo-numero-1');
  expect(phone!.iceServersExpireAt!.getTime()).toBeGreaterThan(Date.now() + 3_500_000);
});

test('a user without an extension is given one, and never a second', async () => {
  const { ana, bob } = newAccount();
  const named = { ...ana, userName: 'Ana Maria Souza' };
  expect((await service.as(named).getPhone({})).phone!.extension).toBeUndefined();

  const given = await Promise.all(Array.from({ length: 5 }, () => service.as(named).createPhone({})));
  const [first] = given.map(({ phone }) => phone!.extension!);
  expect(first).toMatchObject({
    ...{ ramal: '1000', first_name: 'Ana', last_name: 'Maria Souza', email_address: 'ana@example.com' },
    senha: expect.stringMatching(/^.{24}$/),
  });
  for (const { phone } of given) {
    expect(phone!.extension).toEqual(first);
  }
  expect((await service.as(named).getPhone({})).phone!.extension).toEqual(first);
  expect((await service.as(bob).createPhone({})).phone!.extension!.ramal).toBe('1001');
});

test('an e-mail address that is not confirmed grants nothing', async () => {
  const { admin } = newAccount();
  const unconfirmed = { ...admin, email: '' };
  expect((await service.as(unconfirmed).getPhone({})).phone!.extension).toBeUndefined();
  expect(await refusal(service.as(unconfirmed).createPhone({}))).toMatchObject({
    kind: ErrorKind.DENIED,
    message: expect.stringContaining('Confirm your e-mail'),
  });
});
