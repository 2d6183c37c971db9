import { createLogger } from '@sabia/service-kit/logging';
import { createSerialWork } from '@sabia/service-kit/work/serial-work';
import { createEventWriter } from './event-writer';
import type { SwitchEvent } from '../switch/port';

const log = createLogger({ name: 'test', level: 'silent' });
const away = () => Object.assign(new Error('nobody listens'), { code: 'ECONNREFUSED' });
const event = (kind: 'ringing' | 'answered', callId = 'a'): SwitchEvent => ({ kind, callId, at: new Date(0) });

function open(apply: (event: SwitchEvent) => Promise<void>) {
  const serial = createSerialWork<string>();
  const written: string[] = [];
  const writer = createEventWriter({
    progress: { apply },
    serial,
    log,
    retryMs: 1,
    onWritten: ({ kind }) => written.push(kind),
  });
  return { writer, serial, written };
}

test('waits for an unavailable database and keeps the order', async () => {
  let failures = 20;
  const { writer, serial, written } = open(async () => {
    if (failures-- > 0) throw away();
  });
  writer.write(event('ringing'));
  writer.write(event('answered'));
  await serial.idle();
  expect(written).toEqual(['ringing', 'answered']);
});

test('an event that cannot be written is given up after a few tries, others are not affected', async () => {
  let tries = 0;
  const { writer, serial, written } = open(async ({ kind }) => {
    if (kind === 'ringing') {
      tries += 1;
      throw new Error('no such column');
    }
  });
  writer.write(event('ringing'));
  writer.write(event('answered'));
  await serial.idle();
  expect([tries, written]).toEqual([5, ['answered']]);
});

test('after closing, accepted events are still tried and new ones are ignored', async () => {
  const applied: string[] = [];
  const { writer, serial, written } = open(async ({ kind, callId }) => {
    applied.push(`${callId} ${kind}`);
    if (callId === 'b') throw away();
  });
  writer.write(event('ringing', 'a'));
  writer.write(event('ringing', 'b'));
  writer.close();
  writer.write(event('answered', 'a'));
  await serial.idle();
  expect(applied).toEqual(['a ringing', 'b ringing']);
  expect(written).toEqual(['ringing']);
});
