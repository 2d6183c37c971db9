import { createLogger } from '@sabia/service-kit/logging';
import { eventually } from '@sabia/testkit/eventually';
import type { LiveCall } from '../../domain/live-call';
import type { SwitchEvent } from '../port';
import type { AriClient } from './ari-client';
import { AriError } from './ari-http';
import type { AriChannel, AriEvent } from './ari-types';
import { createAsteriskCalls } from './calls';

const id = '01890000-0000-7000-8000-000000000001';
const call = {
  ...{ id, type: 'outbound', from: '1000', to: '551155500101', domain: 'd.example', ramal: '1000' },
  ...{
    aChannel: null,
    attempt: 0,
    trunks: null,
    line: null,
    answeredAt: null,
    requestedAt: null,
    requestedCause: null,
    record: false,
  },
} as unknown as LiveCall;

/** An Asterisk that has these channels and refuses to hang up as often as told. */
function open({ channels = [] as string[], failures = 0, answeredAt = undefined as Date | undefined } = {}) {
  const there = new Set(channels);
  const told: SwitchEvent[] = [];
  const set: { channel: string; variable: string; value: string }[] = [];
  const log = createLogger({ name: 'test', level: 'silent' });
  const dialled: string[] = [];
  let created: (() => void) | undefined;
  let broken: ((withConnection: boolean) => void) | undefined;
  const ari = {
    async hangup(channel: string) {
      if (failures > 0) {
        failures -= 1;
        throw new AriError('DELETE', channel, 500, 'just now not');
      }
      return there.delete(channel);
    },
    destroyBridge: () => Promise.resolve(true),
    async setVariable(channel: string, variable: string, value: string) {
      if (!there.has(channel)) throw new AriError('POST', channel, 404, 'no such channel');
      set.push({ channel, variable, value });
    },
    losses: 0,
    async variable(channel: string, variable: string) {
      const isDialled = dialled.includes(channel);
      return variable === 'CHANNEL(pjsip,local_uri)' && `sip:${isDialled ? '1000' : 'asterisk'}@127.0.0.1`;
    },
    async dial(channel: string) {
      dialled.push(channel);
    },
    createChannel: ({ channelId }: { channelId: string }) =>
      new Promise<void>((resolve, reject) => {
        created = () => {
          there.add(channelId);
          resolve();
        };
        broken = (withConnection) => {
          reject(new AriError('POST', '/channels', undefined, 'no response'));
          if (withConnection) ari.losses += 1;
        };
      }),
  };
  const calls = createAsteriskCalls({
    ...{ ari: ari as unknown as AriClient, trunks: [{ name: 'trunk', format: 'e164' }], log },
    ...{ nextTrunk: () => Promise.resolve(undefined), wayToCarrier: () => Promise.resolve(undefined) },
    dialTurn: () => Promise.resolve(),
    ...{ onTransferred: () => Promise.resolve(true), onTransferFailed: () => Promise.resolve() },
    ...{ tell: (event) => told.push(event), dialSeconds: 30, maximumSeconds: 3600, now: () => new Date() },
    ...{ clock: { read: (time) => new Date(time) }, answeredAt: () => Promise.resolve(answeredAt) },
    ...{ hasRecord: () => Promise.resolve(true), tryCode: () => Promise.resolve('wrong') },
  });
  const kinds = () => told.map((event) => (event.kind === 'ended' ? `ended: ${event.cause}` : event.kind));
  const made = () => created!();
  return { calls, there, told, set, kinds, dialled, made, breakOff: (all: boolean) => broken!(all) };
}

const channelOf = (channel: string, state: AriChannel['state']): [string, AriChannel] => [
  channel,
  { id: channel, state, dialplan: { app_name: 'Stasis' } } as unknown as AriChannel,
];
const up = (channel: string) => channelOf(channel, 'Up');

const startOf = (channel: string) =>
  ({ type: 'StasisStart', channel: channelOf(channel, 'Down')[1], args: [] }) as unknown as AriEvent;

test('who leaves the switch waits until the phone of a call that was placed is dialled, but not for ever', async () => {
  const { calls, made, dialled } = open();
  const placing = calls.place(call);
  made();
  await placing;
  await calls.untilDialled(1);
  expect(dialled).toEqual([]);
  let hasLeft = false;
  const leaving = calls.untilDialled(60_000).then(() => (hasLeft = true));
  await new Promise((resolve) => setImmediate(resolve));
  expect(hasLeft).toBe(false);
  calls.handle(startOf(`${id}-a`));
  await leaving;
  expect(dialled).toEqual([`${id}-a`]);
});

test('a leg that cannot be hung up at once is hung up a moment later', async () => {
  const { calls, there, kinds } = open({ channels: [`${id}-a`, `${id}-b0`], failures: 4 });
  await calls.hangUp({ ...call, answeredAt: new Date() }, 'NORMAL_CLEARING');
  expect(kinds()).toEqual(['ended: NORMAL_CLEARING']);
  await eventually(() => there.size === 0);
});

test('a closed switch does not go on hanging up', async () => {
  const { calls, there } = open({ channels: [`${id}-a`], failures: 2 });
  await calls.hangUp(call, 'NORMAL_CLEARING');
  calls.close();
  await new Promise((resolve) => setTimeout(resolve, 600));
  expect([...there]).toEqual([`${id}-a`]);
});

test('a call of an earlier driver is ended with both its legs', async () => {
  const { calls, there } = open({ channels: [`${id}-a`, `${id}-b1`] });
  await calls.hangUp({ ...call, attempt: 1 }, 'NORMAL_CLEARING');
  expect([...there]).toEqual([]);
});

test('a call that was to be ended before the takeover is ended', async () => {
  const names = [`${id}-a`, `${id}-b0`];
  const { calls, there, kinds } = open({ channels: names });
  const told = { ...call, answeredAt: new Date(), requestedAt: new Date(), requestedCause: 'NORMAL_CLEARING' as const };
  await calls.resume(told, new Map(names.map(up)));
  expect(kinds()).toEqual(['ended: NORMAL_CLEARING']);
  expect([...there]).toEqual([]);
});

test('a call that is ended while its softphone is about to be called does not ring', async () => {
  const { calls, there, kinds, made, dialled } = open();
  const placed = calls.place(call);
  await calls.hangUp(call, 'ORIGINATOR_CANCEL');
  made();
  await placed;
  await eventually(() => there.size === 0);
  expect(kinds()).toEqual(['ended: ORIGINATOR_CANCEL']);
  expect(calls.handle(startOf(`${id}-a`))).toBe(false);
  expect(dialled).toEqual([]);
});

test('a softphone is called once the switch has made its channel, and not before', async () => {
  const { calls, kinds, made, dialled } = open();
  const placed = calls.place(call);
  expect(dialled).toEqual([]);
  made();
  await placed;
  calls.handle(startOf(`${id}-a`));
  expect(dialled).toEqual([`${id}-a`]);
  expect(kinds()).toEqual(['ringing']);
});

test('a new driver calls a softphone that the former one was about to call, and no other', async () => {
  const { calls, dialled } = open({ channels: [`${id}-a`] });
  const down = new Map([channelOf(`${id}-a`, 'Down')]);
  await calls.resume(call, down);
  expect(dialled).toEqual([`${id}-a`]);
  // The event was held until now.
  calls.handle(startOf(`${id}-a`));
  await calls.resume(call, down);
  await calls.resume(call, new Map([channelOf(`${id}-a`, 'Ringing')]));
  expect(dialled).toEqual([`${id}-a`]);
});

test('a call whose request is lost together with the connection has not failed: it goes on from the state of the switch', async () => {
  const { calls, kinds, breakOff } = open();
  const placed = calls.place(call);
  breakOff(true);
  await placed;
  expect(calls.hasChannel(`${id}-a`)).toBe(false);
  expect(kinds()).toEqual([]);
});

test('a call whose request gets no response while the switch is there has failed', async () => {
  const { calls, breakOff } = open();
  const placed = calls.place(call);
  breakOff(false);
  await expect(placed).rejects.toMatchObject({ hangupCause: 'NETWORK_OUT_OF_ORDER' });
});

const secondsAgo = (seconds: number) => new Date(Date.now() - seconds * 1000);

test('a call to be cut that is gone already ended when the switch says, not now', async () => {
  const { calls, told } = open();
  const answered = { ...call, answeredAt: secondsAgo(60) };
  await calls.hangUp(answered, 'ALLOTTED_TIMEOUT');
  expect(told).toEqual([{ kind: 'gone', callId: id, call: answered, cause: 'ALLOTTED_TIMEOUT' }]);
});

test('a missed end is looked up, and the remaining leg is hung up', async () => {
  const { calls, there, told } = open({ channels: [`${id}-a`] });
  const seenAt = secondsAgo(30);
  const answered = { ...call, answeredAt: secondsAgo(60), seenAt };
  await calls.resume(answered, new Map([up(`${id}-a`)]));
  expect(told).toEqual([
    { kind: 'gone', callId: id, call: answered, cause: 'NORMAL_CLEARING', seenAt, left: `${id}-a` },
  ]);
  expect([...there]).toEqual([]);
});

test('a call that was answered and cancelled while no replica was connected counts as answered', async () => {
  const names = [`${id}-a`, `${id}-b0`];
  const answeredAt = secondsAgo(3);
  const { calls, told } = open({ channels: names, answeredAt });
  const cancelled = { ...call, requestedAt: secondsAgo(2), requestedCause: 'ORIGINATOR_CANCEL' as const };
  await calls.resume(cancelled, new Map(names.map(up)));
  expect(told.slice(0, 1)).toEqual([{ kind: 'answered', callId: id, at: answeredAt }]);
  expect(told.map(({ kind }) => kind)).toEqual(['answered', 'ended']);
});

test('a new driver sets the limit of a call again, on both its legs', async () => {
  const names = [`${id}-a`, `${id}-b0`];
  const { calls, set } = open({ channels: names });
  await calls.resume({ ...call, answeredAt: secondsAgo(10), grantedSeconds: 33 }, new Map(names.map(up)));
  expect(set.map(({ channel, variable }) => `${channel} ${variable}`)).toEqual(
    names.map((name) => `${name} TIMEOUT(absolute)`),
  );
  for (const { value } of set) expect(Math.abs(Number(value) - 24.5)).toBeLessThan(1);
});
