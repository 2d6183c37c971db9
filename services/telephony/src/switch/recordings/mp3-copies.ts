import type { Database } from '@sabia/service-kit/postgres/database';
import { contentTypes } from '../../domain/recording-url';
import { findMp3Size, noteMp3 } from '../../storage/recordings';
import { encodeMp3 } from './mp3';
import type { RecordingStore } from './store';

export interface Mp3Copies {
  /** The size of the MP3 of a stored recording, which is made when it is asked for the first time. */
  sizeOf(callId: string): Promise<number>;
}

/** One is encoded at a time in each process, and listeners of the same recording wait for the same copy. */
export function createMp3Copies({ database, store }: { database: Database; store: RecordingStore }): Mp3Copies {
  const underWay = new Map<string, Promise<number>>();
  let last: Promise<unknown> = Promise.resolve();

  async function make(callId: string): Promise<number> {
    const content = encodeMp3(await store.read(callId));
    const { size } = await store.put(callId, { content, contentType: contentTypes.mp3 }, 'mp3');
    await noteMp3(database, callId, size);
    return size;
  }

  function makeInTurn(callId: string): Promise<number> {
    const made = last.catch(() => undefined).then(() => make(callId));
    last = made;
    underWay.set(callId, made);
    const forget = () => underWay.delete(callId);
    made.then(forget, forget);
    return made;
  }

  return {
    async sizeOf(callId) {
      return (await findMp3Size(database, callId)) ?? underWay.get(callId) ?? makeInTurn(callId);
    },
  };
}
