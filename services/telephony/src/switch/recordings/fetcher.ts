import type { Outbox } from '@sabia/service-kit/events/outbox';
import type { Logger } from '@sabia/service-kit/logging';
import type { Database } from '@sabia/service-kit/postgres/database';
import type { Call } from '../../domain/call';
import type { RecordingUrls } from '../../domain/recording-url';
import { callRecorded } from '../../events/published';
import { giveUpRecording, markRecorded, takeUnfetched } from '../../storage/recordings';
import { addToTimeline } from '../../storage/timeline';
import type { CallSwitch } from '../port';
import type { RecordingStore } from './store';

export interface FetcherOptions {
  database: Database;
  outbox: Outbox;
  callSwitch: CallSwitch;
  store: RecordingStore;
  urls: RecordingUrls;
  log: Logger;
  now: () => Date;
}

const BATCH = 20;
const RETRY_MS = 5_000;
const TRIES = 120;

/** Brings the audio of ended calls from the switch into the store, then tells of it. */
export function createRecordingFetcher(options: FetcherOptions): () => Promise<void> {
  const { database, outbox, callSwitch, store, urls, log, now } = options;

  async function fetch(call: Call & { tries: number }): Promise<void> {
    const callId = call.id;
    const audio = await callSwitch.fetchRecording(call);
    if (audio === undefined) {
      if (call.tries >= TRIES) {
        log.error({ callId }, 'the switch has no audio of a call that was to be recorded');
        await giveUpRecording(database, callId);
      }
      return;
    }
    await store.put(callId, audio.content);
    const at = now();
    const recording = {
      callId,
      contentType: audio.contentType,
      size: audio.content.length,
      at,
      url: urls.urlOf(callId),
    };
    await database.transaction(async (tx) => {
      const recorded = await markRecorded(tx, recording);
      if (recorded !== undefined) {
        const detail = { bytes: recording.size };
        await addToTimeline(tx, callId, { at, kind: 'recording', message: 'recording stored', detail });
        await outbox.write(tx, [callRecorded(recorded, at)]);
      }
    });
    await callSwitch.dropRecording(callId);
  }

  return async () => {
    const moment = now();
    const againAt = new Date(moment.getTime() + RETRY_MS);
    const due = await takeUnfetched(database, { switchName: callSwitch.name, now: moment, againAt, limit: BATCH });
    await Promise.all(
      due.map((call) =>
        fetch(call).catch((error: unknown) =>
          log.warn({ err: error, callId: call.id }, 'a recording could not be fetched, trying again'),
        ),
      ),
    );
  };
}
