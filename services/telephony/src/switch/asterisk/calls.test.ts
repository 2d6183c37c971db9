import { createLogger } from '@sabia/service-kit/logging';
import { eventually } from '@sabia/testkit/eventually';
import type { LiveCall } from '../../domain/live-call';
import type { SwitchEvent } from '../port';
import type { AriClient } from './ari-client';
import { AriError } from './ari-http';
import type { AriChannel } from './ari-types';
import { createAsteriskCalls } from './calls';

const id = '01890000-0000-7000-8000-000000000001';
const call = {
  ...{ id, type: 'outbound', from: '1000', to: '551155500101', domain: 'd.example', ramal: '1000' },
  ...{ aChannel: null, attempt: 0, answeredAt: null, requestedAt: null, requestedCause: null, record: false },
} as unknown as LiveCall;

/** An Asterisk that has these channels and refuses to hang up as often as told. */
function open({ channels = [] as string[], failures = 0 } = {}) {
  const there = new Set(channels);
  const told: SwitchEvent[] = [];
  const log = createLogger({ name: 'test', level: 'silent' });
  let originated: (() => void) | undefined;
  const ari = {
    async hangup(channel: string) {
      if (failures > 0) {
        failures -= 1;
        throw new AriError('DELETE', channel, 500, 'just now not');
      }
      return there.delete(channel);
    },
    destroyBridge: () => Promise.resolve(true),
    originate: ({ channelId }: { channelId: string }) =>
      new Promise<void>((resolve) => {
        originated = () => {
          there.add(channelId);
          resolve();
        };
      }),
  } as unknown as AriClient;
  const calls = createAsteriskCalls({
    ...{ ari, trunks: [{ name: 'trunk', format: 'e164' }], onAttempt: () => Promise.resolve(true), log },
    ...{ tell: (event) => told.push(event), dialSeconds: 30, maximumSeconds: 3600, now: () => new Date() },
  });
  const kinds = () => told.map((event) => (event.kind === 'ended' ? `ended: ${event.cause}` : event.kind));
  return { calls, there, kinds, ring: () => originated!() };
}

const up = (channel: string): [string, AriChannel] => [
  channel,
  { id: channel, state: 'Up', dialplan: { app_name: 'Stasis' } } as unknown as AriChannel,
];

test('a leg that cannot be hung up at once is hung up a moment later', async () => {
  const { calls, there, kinds } = open({ channels: [`${id}-a`, `${id}-b0`], failures: 4 });
  await calls.hangUp({ ...call, answeredAt: new Date() }, 'NORMAL_CLEARING');
  expect(kinds()).toEqual(['ended: NORMAL_CLEARING']);
  await eventually(() => there.size === 0);
});

test('who leaves the switch does not go on hanging up', async () => {
  const { calls, there } = open({ channels: [`${id}-a`], failures: 2 });
  await calls.hangUp(call, 'NORMAL_CLEARING');
  calls.close();
  await new Promise((resolve) => setTimeout(resolve, 600));
  expect([...there]).toEqual([`${id}-a`]);
});

test('a call of somebody who drove before is ended with both its legs', async () => {
  const { calls, there } = open({ channels: [`${id}-a`, `${id}-b1`] });
  await calls.hangUp({ ...call, attempt: 1 }, 'NORMAL_CLEARING');
  expect([...there]).toEqual([]);
});

test('a call that was to be ended before somebody took over is ended', async () => {
  const names = [`${id}-a`, `${id}-b0`];
  const { calls, there, kinds } = open({ channels: names });
  const told = { ...call, answeredAt: new Date(), requestedAt: new Date(), requestedCause: 'NORMAL_CLEARING' as const };
  await calls.resume(told, new Map(names.map(up)));
  expect(kinds()).toEqual(['ended: NORMAL_CLEARING']);
  expect([...there]).toEqual([]);
});

test('a call that is ended while its softphone is about to be called does not ring', async () => {
  const { calls, there, kinds, ring } = open();
  const placed = calls.place(call);
  await calls.hangUp(call, 'ORIGINATOR_CANCEL');
  ring();
  await placed;
  await eventually(() => there.size === 0);
  expect(kinds()).toEqual(['ended: ORIGINATOR_CANCEL']);
});
