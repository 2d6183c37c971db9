import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { connect } from 'nats';
import { testFleet } from '../src/config';
import { eventually } from '../src/eventually';
import { createAdmin, createUser, type Person } from '../src/people';
import { refusalOf, unknownId } from '../src/refusals';
import { isoTime } from '../src/shapes';
import { Softphone } from '../src/softphone/softphone';
import { createStackClient } from '../src/stack-client';
import { testStack } from '../src/test-stack';
import { WebPhone } from '../src/web-phone/web-phone';

interface Phone {
  extension: { id: number; domain: string; ramal: string; senha: string; email_address: string } | null;
  sipServers: object[];
}

/** What GET /phone says of an address of the stack's Asterisk. */
function addressOf(transport: 'udp' | 'tcp') {
  const [host, port] = (testStack().sip?.[transport] ?? '').split(':');
  return { host, port: Number(port), transport };
}

let boss: Person;
let ana: Person;
let own: NonNullable<Phone['extension']>;

beforeAll(async () => {
  boss = await createAdmin(testStack());
  ana = await createUser(boss);
});

test('a user is given an extension once, and its senha every time', async () => {
  const { body: first } = await ana.api().get<Phone>('/phone');
  expect(first).toEqual({
    extension: null,
    websocketPath: '/sip',
    iceServers: [],
    iceServersExpireAt: null,
    autoAnswer: { header: 'Call-Info', contains: 'answer-after=0' },
    sipServers: expect.arrayContaining([addressOf('udp'), addressOf('tcp')]) as unknown,
  });
  expect(first.sipServers).toHaveLength(2 * testFleet().edges);
  const given = await ana.api().post<Phone>('/phone');
  expect(given.status).toBe(200);
  own = given.body.extension!;
  expect(own).toMatchObject({ ramal: '1000', email_address: ana.email, senha: expect.any(String) as unknown });
  expect((await ana.api().post<Phone>('/phone')).body.extension).toEqual(own);
  expect((await ana.api().get<Phone>('/phone')).body.extension).toEqual(own);
  // The phone of an ADMIN is the ADMIN's own, too.
  expect((await boss.api().get<Phone>('/phone')).body.extension).toBeNull();
});

test('the registration tells which softphone it is, and ends when the softphone is thrown out', async () => {
  const path = `/extensions/${own.id}/registration`;
  const softphone = await Softphone.start({ ...own, server: testStack().sip?.udp ?? '' });
  const nats = await connect({ servers: testStack().natsUrl });
  let unregistered = 0;
  nats.subscribe('sabia.telephony.extension.unregistered', {
    callback: (_error, message) => void (unregistered += Number(Buffer.from(message.data).includes(own.domain))),
  });
  try {
    await softphone.waitRegistered();
    await eventually(async () => {
      const { body } = await ana.api().get(path);
      expect(body).toEqual({
        ...{ registered: true, registered_at: expect.stringMatching(isoTime) as unknown },
        ...{ user_agent: expect.stringContaining('baresip') as unknown, address: '127.0.0.1', transport: 'udp' },
        expires_at: expect.stringMatching(isoTime) as unknown,
      });
      return true;
    });
    expect((await ana.api().delete(path)).status).toBe(204);
    expect((await ana.api().get(path)).body).toMatchObject({ registered: false, user_agent: null, transport: null });
    await eventually(() => unregistered === 1);
    await eventually(async () => {
      const { body } = await ana.api().get<{ registered: boolean }>(`/extensions/${own.id}`);
      return !body.registered;
    });
  } finally {
    await nats.close();
    await softphone.kill();
  }
});

describe('a link that sets Linphone up', () => {
  const linphone = { 'user-agent': 'LinphoneAndroid/6.0.4 (Pixel 7) LinphoneSDK/5.4.20' };
  const fetchLink = (path: string, headers: Record<string, string> = linphone) =>
    createStackClient(testStack()).get(path, { outsideApi: true, headers: { 'accept-language': 'en', ...headers } });
  const newLink = async (person: Person) =>
    (await person.api().post<{ path: string; expiresAt: string }>(`/extensions/${own.id}/provisioning`)).body;

  test('has what a softphone needs to register, for one phone and a few minutes', async () => {
    const { path, expiresAt } = await newLink(ana);
    expect(expiresAt).toMatch(isoTime);
    // The camera of a telephone opens the link in a browser, and messengers fetch it to show a preview: they must not use it up.
    for (const reader of [
      { accept: 'text/html,*/*;q=0.8', 'user-agent': 'Mozilla/5.0 (Linux; Android 16)' },
      { accept: '*/*', 'user-agent': 'WhatsApp/2.2587.9 A' },
      { accept: 'application/xml', 'user-agent': 'curl/8.16.0' },
    ]) {
      const page = await fetchLink(path, reader);
      expect([page.status, page.text]).toEqual([200, expect.stringContaining('Open this link in Linphone')]);
      expect(page.text).not.toContain('ha1');
    }

    const fetched = await fetchLink(path);
    expect(fetched.headers['content-type']).toBe('application/xml; charset=utf-8');
    expect(fetched.headers['cache-control']).toBe('no-store');
    const settings = entriesOf(fetched.text);
    const { username, realm, ha1, reg_identity: identity, reg_proxy: proxy } = settings;
    const [, ramal = '', domain = ''] = /<sip:(.+)@(.+)>$/.exec(identity!)!;
    const [, server = '', transport] = /^<sip:(.+);transport=(udp|tcp)>$/.exec(proxy!)!;
    // The digest is all that a softphone uses of a password.
    expect(createHash('md5').update(`${username}:${realm}:${own.senha}`).digest('hex')).toBe(ha1);

    const phone = { ramal, domain, server, transport: transport as 'udp', authUser: username, senha: own.senha };
    const softphone = await Softphone.start(phone);
    try {
      await softphone.waitRegistered();
    } finally {
      await softphone.stop();
    }
    expect(readFileSync(join(testStack().home, 'logs/gateway.log'), 'utf8')).not.toContain(path);
  });

  test('is ended by the next one, and only for those who may see the senha', async () => {
    const [first, second] = [await newLink(ana), await newLink(boss)];
    const gone = await fetchLink(first.path);
    expect([gone.status, gone.headers['content-type']]).toEqual([404, 'text/plain; charset=utf-8']);
    const page = await fetchLink(first.path, { accept: '*/*' });
    expect([page.status, page.text]).toEqual([404, expect.stringContaining('no longer valid')]);
    // The mark of newer ones, whatever their name.
    const marked = await fetchLink(second.path, { 'user-agent': 'Our phone/1.0', 'x-linphone-provisioning': '1' });
    expect([marked.status, marked.headers['content-type']]).toEqual([200, 'application/xml; charset=utf-8']);

    const route = `/extensions/${own.id}/provisioning`;
    const bob = await createUser(boss);
    expect((await bob.api().post(route)).status).toBe(403);
    expect((await (await createAdmin(testStack())).api().post(route)).status).toBe(404);
  });
});

test('the web phone registers with what GET /phone says', async () => {
  const web = await WebPhone.start({ ...own, url: testStack().sip?.ws ?? '' });
  try {
    await web.waitRegistered();
    const { body } = await ana.api().get(`/extensions/${own.id}/registration`);
    expect(body).toMatchObject({ registered: true, address: null, transport: 'ws' });
  } finally {
    await web.stop();
  }
});

test('the extension of another account has no registration that could be seen or ended', async () => {
  const stranger = await createAdmin(testStack());
  for (const id of [own.id, 'nobody']) {
    expect(refusalOf(await stranger.api().get(`/extensions/${id}/registration`))).toEqual(unknownId('extension', id));
    expect(refusalOf(await stranger.api().delete(`/extensions/${id}/registration`))).toEqual(
      unknownId('extension', id),
    );
  }
});

/** The entries of all sections of Linphone's settings, by their names. */
function entriesOf(xml: string): Record<string, string> {
  const entries = [...xml.matchAll(/<entry name="(\w+)" overwrite="true">([^<]*)<\/entry>/g)];
  const plain = (text: string) => text.replace(/&(lt|gt|quot|amp);/g, (_, name: string) => characters[name]!);
  return Object.fromEntries(entries.map(([, name, value]) => [name, plain(value!)]));
}

const characters: Record<string, string> = { lt: '<', gt: '>', quot: '"', amp: '&' };
