import { testNumbers } from '@sabia/embedded/asterisk/test-numbers';
import { createTestDatabase, type TestDatabase } from '@sabia/testkit/database';
import { eventually } from '@sabia/testkit/eventually';
import { Softphone } from '@sabia/testkit/softphone/softphone';
import { startTestAsterisk, type TestAsterisk } from '@sabia/testkit/softphone/test-asterisk';
import { WebPhone } from '@sabia/testkit/web-phone/web-phone';
import { createHepListener } from '../src/switch/asterisk/capture/hep-listener';
import { silent } from './stage';
import { openSwitchboard, type Switchboard } from './support/switchboard';

const extension = { domain: 'acme.sabia.localhost', ramal: '1000', senha: 'segredo-1' };
const endpoint = 'PJSIP/1000@acme.sabia.localhost';
let database: TestDatabase;
let asterisk: TestAsterisk;
let switchboard: Switchboard;

beforeAll(async () => {
  database = await createTestDatabase('telephony');
  asterisk = await startTestAsterisk(database);
  await asterisk.addExtension(extension);
  switchboard = await openSwitchboard({ ...asterisk, trunk: asterisk.testTrunk });
}, 600_000);

afterAll(async () => {
  await switchboard?.stop();
  await asterisk?.stop();
  await database?.drop();
});

const contacts = async (): Promise<string[]> =>
  (await asterisk.sql.query<{ uri: string }>('SELECT uri FROM sip.contacts')).rows.map(({ uri }) => uri);

test('a browser registers, calls and is called, with the credentials that a SIP phone uses', async () => {
  const web = await WebPhone.start({ ...extension, url: asterisk.ws });
  const copies: string[] = [];
  const listener = createHepListener({
    listen: asterisk.sipCapture!,
    log: silent,
    onMessage: ({ payload }) => copies.push(payload.toString('latin1')),
  });
  listener.start();
  const isCopied = (start: RegExp, method: string) =>
    copies.some((copy) => start.test(copy) && copy.includes('SIP/2.0/WS ') && copy.includes(` ${method}\r\n`));
  try {
    await web.waitRegistered();
    expect(await contacts()).toEqual([expect.stringMatching(/transport=ws/i)]);

    await web.dial(testNumbers.answer);
    await web.waitFor('confirmed');
    await eventually(async () => {
      const rtp = await web.rtp();
      if (rtp.sent > 50 && rtp.received > 50 && rtp.energy > 0.01) return true;
      throw new Error(`too little audio so far: ${JSON.stringify(rtp)}`);
    });
    expect((await web.rtp()).codec).toBe('audio/opus');
    await web.hangup();
    await web.waitFor('ended');
    // What goes over the WebSocket is sent to the ladder, too, both ways.
    await eventually(() => isCopied(/^BYE /, 'BYE') && isCopied(/^SIP\/2.0 200/, 'BYE'));
    expect(isCopied(/^INVITE /, 'INVITE')).toBe(true);
    // The edge has asked for the password: no credentials reach the node.
    expect(copies.filter((copy) => copy.includes('SIP/2.0/WS ')).join()).not.toMatch(/authorization/i);

    await switchboard.ari.originate({ endpoint, channelId: 'to-web', timeout: 20 });
    await eventually(async () => (await web.events()).filter(({ type }) => type === 'confirmed').length === 2);
    await switchboard.play('to-web', 'sound:demo-congrats');
    await eventually(async () => (await web.rtp()).received > 50);
    await switchboard.ari.hangup('to-web');

    // The same extension on a SIP phone: the browser is displaced, and the media are what the new one needs.
    const phone = await Softphone.start({ ...extension, server: asterisk.sipUdp });
    try {
      await phone.waitRegistered();
      expect(await contacts()).toEqual([expect.not.stringMatching(/transport=ws/i)]);
      await switchboard.ari.originate({ endpoint, channelId: 'to-phone', timeout: 20 });
      await phone.waitFor('CALL_ESTABLISHED');
      await switchboard.play('to-phone', 'sound:demo-congrats');
      await phone.waitHeard({ loudness: 500 });
      await switchboard.ari.hangup('to-phone');
      await phone.waitFor('CALL_CLOSED');
      await phone.dial(testNumbers.busy);
      await eventually(() => phone.events.some(({ param }) => param?.startsWith('486')));
    } finally {
      await phone.stop();
    }
  } finally {
    listener.stop();
    await web.stop();
  }
});

test('a browser with a wrong senha is refused', async () => {
  const web = await WebPhone.start({ ...extension, senha: 'guess-1', url: asterisk.ws });
  try {
    await expect(web.waitRegistered()).rejects.toThrow('401');
  } finally {
    await web.stop();
  }
});

test('a window that is closed is gone at once', async () => {
  const web = await WebPhone.start({ ...extension, url: asterisk.ws });
  await web.waitRegistered();
  await web.kill();
  await eventually(async () => (await contacts()).length === 0);
});
