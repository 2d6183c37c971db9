import type { Database } from '@sabia/service-kit/postgres/database';
import { createSingleFlight } from '@sabia/service-kit/work/single-flight';
import { contentTypes } from '../domain/recording-url';
import { findMp3Size, noteMp3 } from '../storage/recordings';
import { createFairLine } from './fair-line';
import { missingRecording } from './missing-recording';
import { encodeMp3 } from './mp3';
import type { RecordingStore } from './store';

interface OwnedRecording {
  callId: string;
  accountId: number;
}

export interface Mp3Copies {
  /** The size of the MP3 of a stored recording; the first request makes the MP3. */
  sizeOf(recording: OwnedRecording): Promise<number>;
  /** Makes the MP3 before a listener asks for it. Rejects if its account has many waiting already. */
  makeAhead(recording: OwnedRecording): Promise<void>;
}

/** How many recordings may wait, of all accounts and of one; those made ahead leave places for requested ones. */
const WAITING = 200;
const WAITING_PER_ACCOUNT = 20;
const AHEAD_PER_ACCOUNT = 10;

/** Each process encodes one recording at a time; listeners of the same recording wait for the same copy. */
export function createMp3Copies({ database, store }: { database: Database; store: RecordingStore }): Mp3Copies {
  const line = createFairLine({ longest: WAITING });
  const copies = createSingleFlight<string, number>();

  async function make(callId: string): Promise<number> {
    const content = encodeMp3(await store.read(callId));
    const { size } = await store.put(callId, { content, contentType: contentTypes.mp3 }, 'mp3');
    if (!(await noteMp3(database, callId, size))) {
      // The recording was deleted in the meantime, before the store had the MP3.
      await store.remove(callId);
      throw await missingRecording(database, callId);
    }
    return size;
  }

  const findOrMake = async ({ callId, accountId }: OwnedRecording, atMost: number): Promise<number> =>
    (await findMp3Size(database, callId)) ?? copies.run(callId, () => line.run(accountId, atMost, () => make(callId)));

  return {
    sizeOf: (recording) => findOrMake(recording, WAITING_PER_ACCOUNT),
    async makeAhead(recording) {
      await findOrMake(recording, AHEAD_PER_ACCOUNT);
    },
  };
}
