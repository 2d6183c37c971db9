import { testNumbers } from '@sabia/embedded/asterisk/test-numbers';
import { areTimesStrict } from '@sabia/testkit/config';
import { eventually } from '@sabia/testkit/eventually';
import { promised } from '@sabia/testkit/promised';
import { PhoneBank } from '@sabia/testkit/softphone/phone-bank';
import { Softphone } from '@sabia/testkit/softphone/softphone';
import type { TestAsterisk, TestExtension } from '@sabia/testkit/softphone/test-asterisk';
import { WebPhone } from '@sabia/testkit/web-phone/web-phone';
import { EdgeStage } from './support/edge-stage';
import type { Switchboard } from './support/switchboard';

/** An edge dies while its phones talk. */
let stage: EdgeStage;
let asterisk: TestAsterisk;
let switchboard: Switchboard;

beforeAll(async () => {
  stage = await EdgeStage.open();
  ({ asterisk, switchboard } = stage);
}, 600_000);

afterAll(() => stage?.close());

test('a call outlives its edge: it is heard, and ended through another edge', async () => {
  const extension = await stage.newExtension();
  const bank = await PhoneBank.open({ server: asterisk.sipUdp });
  await bank.register(extension);
  const channel = await stage.call(extension);
  await eventually(() => bank.talking.length === 1);
  const [talk] = bank.talking;
  await switchboard.play(channel, 'tone:dial');
  await eventually(() => talk!.heard > 10);
  await asterisk.edge.kill();
  try {
    const heard = talk!.heard;
    await eventually(() => talk!.heard > heard + 50);
    await bank.hangUp(talk!, stage.other.sipUdp);
    await eventually(() => switchboard.ended(channel) !== undefined);
    // Its way leads over the other edge now: an edge that is away is no reason to be unreachable over UDP.
    await eventually(async () => {
      const { rows } = await asterisk.sql.query<{ way: string }>('SELECT way FROM sip.ways WHERE endpoint = $1', [
        `${extension.ramal}@${extension.domain}`,
      ]);
      const { rows: edges } = await asterisk.sql.query<{ at: string }>(
        `SELECT host(node_host) || ':' || node_port AS at FROM sip.edges WHERE name = 'other'`,
      );
      return rows[0]!.way.startsWith(`sip:${edges[0]!.at};`);
    });
    const again = await stage.call(extension);
    await eventually(() => bank.talking.length === 1);
    await switchboard.ari.hangup(again);
  } finally {
    bank.end();
    await asterisk.edge.start();
  }
});

test.each([
  ['is called', 'goes to another edge', 'other', false],
  ['calls', 'goes to another edge', 'other', false],
  ['is called', 'comes back to its edge, which was started again', 'edge', true],
  ['calls', 'goes to another edge, while its own is started again', 'other', true],
])(
  'a desk phone over TCP that %s loses its edge and %s: it talks on, and learns that the other side has hung up',
  async (who, _how, edge, isBack) => {
    const extension = await stage.newExtension();
    const phone = await Softphone.start({ ...extension, server: asterisk.sipTcp, transport: 'tcp' });
    try {
      await phone.waitRegistered();
      switchboard.events.length = 0;
      if (who === 'calls') await phone.dial(testNumbers.echo);
      const channel = who === 'calls' ? await stage.dialled() : await stage.call(extension);
      await phone.waitFor('CALL_ESTABLISHED');
      if (who === 'is called') await switchboard.play(channel, 'tone:dial');
      await phone.waitHeard({ seconds: 0.5, loudness: 500 });

      await asterisk.edge.kill();
      if (isBack) await asterisk.edge.start();
      await phone.moveTo(edge === 'other' ? stage.other.sipTcp : asterisk.sipTcp);
      expect(await stage.edgeOf(extension)).toBe(edge);
      const { seconds } = phone.heard();
      await phone.waitHeard({ seconds: seconds + 0.5, loudness: 500 });

      await switchboard.ari.hangup(channel);
      await phone.waitFor('CALL_CLOSED');
      await eventually(() => switchboard.ended(channel) !== undefined);
    } finally {
      await phone.kill();
      if (!isBack) await asterisk.edge.start();
    }
  },
);

describe('a browser over WSS', () => {
  let extension: TestExtension;
  let web: WebPhone;

  beforeAll(async () => {
    extension = await stage.newExtension();
    web = await WebPhone.start({ ...extension, url: asterisk.edge.wss, otherUrls: [stage.other.ws] });
    await web.waitRegistered();
  });

  afterAll(() => web?.stop());

  /** Waits until both sides have got a second more of audio. */
  async function talksOn(channel: string): Promise<void> {
    const count = async () => ({ web: (await web.rtp()).received, ...(await switchboard.ari.rtpStatistics(channel)) });
    const before = await count();
    let now = before;
    await eventually(async () => {
      // A call without audio is ended after a minute; it is of no use to ask for it then.
      if (switchboard.ended(channel) !== undefined) return true;
      now = await count();
      return now.web > before.web + 50 && now.rxcount > before.rxcount + 50;
    });
    if (now.web <= before.web + 50 || now.rxcount <= before.rxcount + 50)
      throw new Error(`too little audio: ${JSON.stringify([before, now, await web.events()])}`);
  }

  /** Audio is set up within seconds or never: where the machine has no time for a browser then, the call is placed once more. */
  async function talking(place: () => Promise<string>): Promise<string> {
    const channel = await place();
    try {
      await talksOn(channel);
      return channel;
    } catch (error) {
      if (areTimesStrict()) throw error;
      await eventually(() => switchboard.ended(channel) !== undefined);
      await web.waitFor('ended');
      await web.forget();
      const second = await place();
      await talksOn(second);
      return second;
    }
  }

  test('calls, talks both ways, and hangs up', async () => {
    const channel = await talking(async () => {
      switchboard.events.length = 0;
      await web.dial(testNumbers.echo);
      await web.waitFor('confirmed');
      return stage.dialled();
    });
    await web.hangup();
    await eventually(() => switchboard.ended(channel) !== undefined);
    await web.waitFor('ended');
    await web.forget();
  });

  test('is at another edge right after the death of its own, talks on both ways, and learns of the end', async () => {
    const channel = await talking(async () => {
      const called = await stage.call(extension);
      await web.waitFor('confirmed');
      await switchboard.play(called, 'tone:dial');
      return called;
    });
    await asterisk.edge.kill();
    try {
      // Its library waits for a second before it tries the next address.
      await eventually(async () => (await stage.edgeOf(extension)) === 'other', { timeoutMs: promised(10_000) });
      await talksOn(channel);
      await switchboard.ari.hangup(channel);
      await web.waitFor('ended');
    } finally {
      await asterisk.edge.start();
    }
  });
});
