import { createHash } from 'node:crypto';
import { ErrorKind } from '@sabia/protos/sabia/api/v1/error';
import { eventually } from '@sabia/testkit/eventually';
import { refusal } from '@sabia/testkit/refused-rpc';
import { create, newAccount, openHome } from './harness';
import type { Home, RunningExtensions } from './harness';

let home: Home;
let service: RunningExtensions;
let minutesLater = 0;

beforeAll(async () => {
  home = await openHome();
  service = await home.start({
    sipServers: [
      { host: 'sip.example.com', port: 5070, transport: 'tcp' },
      { host: 'sip.example.com', port: 5060, transport: 'udp' },
    ],
    now: () => new Date(Date.now() + minutesLater * 60_000),
  });
});

afterAll(async () => {
  await service?.stop();
  await home?.close();
});

beforeEach(() => {
  minutesLater = 0;
});

const asGateway = () => service.as(undefined);
const open = async (token: string) => (await asGateway().openProvisioning({ token, onlyLook: false })).document;
const isGood = (token: string) =>
  asGateway()
    .openProvisioning({ token, onlyLook: true })
    .then(
      () => true,
      () => false,
    );

async function newLink(caller = newAccount().admin) {
  const extension = await create(service.as(caller), {
    ramal: '2000',
    first_name: 'Zé "da" & Filha',
    last_name: '<Souza>',
  });
  return { caller, extension, token: await linkOf(caller, extension.id) };
}

async function linkOf(caller: Parameters<RunningExtensions['as']>[0], id: number): Promise<string> {
  const { provisioning } = await service.as(caller).createProvisioning({ id });
  return /^\/provision\/([\w-]{43})$/.exec(provisioning!.path)![1]!;
}

const entryOf = (document: string, name: string): string =>
  new RegExp(`<entry name="${name}" overwrite="true">([^<]*)</entry>`).exec(document)?.[1] ?? '';

test('a link gives Linphone the account, the server and the digest, and never the senha', async () => {
  const { extension, token } = await newLink();
  const document = await open(token);
  const digest = createHash('md5').update(`2000:${extension.domain}:segredo-numero-1`).digest('hex');
  expect(entryOf(document, 'reg_proxy')).toBe('&lt;sip:sip.example.com:5070;transport=tcp&gt;');
  expect(entryOf(document, 'reg_route')).toBe(entryOf(document, 'reg_proxy'));
  expect(entryOf(document, 'reg_identity')).toBe(
    `&quot;Zé \\&quot;da\\&quot; &amp; Filha &lt;Souza&gt;&quot; &lt;sip:2000@${extension.domain}&gt;`,
  );
  expect(entryOf(document, 'ha1')).toBe(digest);
  expect(entryOf(document, 'transient_provisioning')).toBe('1');
  expect(document).not.toContain('segredo-numero-1');
  expect(service.logged()).not.toContain(token);
  const stored = await home.sql.query<{ row: string }>('SELECT l::text AS row FROM provisioning_links l');
  expect(stored.map(({ row }) => row).join('')).not.toContain(token);
});

test('a link can be fetched again for two minutes, and looking at it does not count', async () => {
  const { token } = await newLink();
  minutesLater = 10;
  expect(await isGood(token)).toBe(true);
  await open(token);
  minutesLater = 11.9;
  await open(token);
  minutesLater = 12.1;
  expect(await refusal(open(token))).toMatchObject({ kind: ErrorKind.NOT_FOUND });
  expect(await isGood(token)).toBe(false);
});

test('a link is given out three times at most', async () => {
  const { token } = await newLink();
  await Promise.all([open(token), open(token), open(token)]);
  expect(await refusal(open(token))).toMatchObject({ kind: ErrorKind.NOT_FOUND });
  expect(await isGood(token)).toBe(false);
});

test('an extension that is deleted while its link is made is not found', async () => {
  const { caller, extension } = await newLink();
  const made = await home.sql.transaction(async (tx) => {
    await tx.query('DELETE FROM extensions WHERE id = $1', [extension.id]);
    const answer = refusal(service.as(caller).createProvisioning({ id: extension.id }));
    await eventually(async () => (await waitingForLocks()) > 0);
    return { answer };
  });
  expect(await made.answer).toMatchObject({ kind: ErrorKind.NOT_FOUND });
});

async function waitingForLocks(): Promise<number> {
  const [row] = await home.admin.query<{ count: number }>(
    `SELECT count(*)::int AS count FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
  );
  return row!.count;
}

test('a link ends after 15 minutes, with the next one, and when the extension changes or goes', async () => {
  const late = await newLink();
  minutesLater = 15.1;
  expect(await isGood(late.token)).toBe(false);
  minutesLater = 0;

  const { caller, extension, token } = await newLink();
  const second = await linkOf(caller, extension.id);
  expect([await isGood(token), await isGood(second)]).toEqual([false, true]);

  await service.as(caller).upsertExtension({ id: extension.id, email_address: 'bob@example.com' });
  expect(await isGood(second)).toBe(false);

  const third = await linkOf(caller, extension.id);
  await service.as(caller).deleteExtension({ id: extension.id });
  expect(await isGood(third)).toBe(false);
});

test('only those who may see the senha get a link', async () => {
  const { admin, ana, bob } = newAccount();
  const { id } = await create(service.as(admin), { ramal: '2000', email_address: 'ana@example.com' });
  expect(await isGood(await linkOf(ana, id))).toBe(true);
  expect(await refusal(service.as(bob).createProvisioning({ id }))).toMatchObject({ kind: ErrorKind.DENIED });
  const stranger = service.as(newAccount().admin);
  expect(await refusal(stranger.createProvisioning({ id }))).toMatchObject({ kind: ErrorKind.NOT_FOUND });
});
