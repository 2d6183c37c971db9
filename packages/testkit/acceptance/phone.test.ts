import { connect } from 'nats';
import { eventually } from '../src/eventually';
import { createAdmin, createUser, type Person } from '../src/people';
import { refusalOf, unknownId } from '../src/refusals';
import { isoTime } from '../src/shapes';
import { Softphone } from '../src/softphone/softphone';
import { testStack } from '../src/test-stack';
import { WebPhone } from '../src/web-phone/web-phone';

interface Phone {
  extension: { id: number; domain: string; ramal: string; senha: string; email_address: string } | null;
}

let boss: Person;
let ana: Person;
let own: NonNullable<Phone['extension']>;

beforeAll(async () => {
  boss = await createAdmin(testStack());
  ana = await createUser(boss);
});

test('a user is given an extension once, and its senha every time', async () => {
  expect((await ana.api().get<Phone>('/phone')).body).toEqual({
    extension: null,
    websocketPath: '/sip',
    iceServers: [],
    iceServersExpireAt: null,
    autoAnswer: { header: 'Call-Info', contains: 'answer-after=0' },
  });
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
