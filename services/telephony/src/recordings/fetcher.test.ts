import { Readable } from 'node:stream';
import { newEventId } from '@sabia/service-kit/events/outbox';
import { createLogger } from '@sabia/service-kit/logging';
import type { Database } from '@sabia/service-kit/postgres/database';
import { createSimulatedSwitch } from '../switch/simulated/switch';
import { createRecordingFetcher } from './fetcher';

test('audio that cannot be stored is released', async () => {
  const content = new Readable({ read: () => undefined });
  const fetchAll = createRecordingFetcher({
    database: { query: () => Promise.resolve([{ id: newEventId(), tries: 1 }]) } as unknown as Database,
    outbox: { write: () => Promise.resolve(), poke: () => undefined },
    callSwitch: {
      ...createSimulatedSwitch(),
      fetchRecording: () => Promise.resolve({ content, contentType: 'audio/wav', wholeSeconds: 1 }),
    },
    store: {
      put: () => Promise.reject(new Error('no space left')),
      read: async () => Readable.from([]),
      locationOf: () => '',
      remove: () => Promise.resolve(),
      close: () => Promise.resolve(),
    },
    mp3Copies: { makeAhead: () => Promise.resolve() },
    urls: { urlOf: () => '', isSignedBy: () => false },
    metrics: { recording: () => undefined },
    log: createLogger({ name: 'test', level: 'silent' }),
    now: () => new Date(),
  });
  await fetchAll();
  expect(content.destroyed).toBe(true);
});
