import type { Outbox } from '@sabia/service-kit/events/outbox';
import type { Logger } from '@sabia/service-kit/logging';
import type { Database } from '@sabia/service-kit/postgres/database';
import type { Call } from '../../domain/call';
import type { RecordingUrls } from '../../domain/recording-url';
import { callRecorded } from '../../events/published';
import { giveUpRecording, markRecorded, takeUnfetched } from '../../storage/recordings';
import { addToTimeline } from '../../storage/timeline';
import type { CallMetrics } from '../call-metrics';
import type { CallSwitch, RecordedAudio } from '../port';
import type { RecordingStore } from './store';

export interface FetcherOptions {
  database: Database;
  outbox: Outbox;
  callSwitch: CallSwitch;
  store: RecordingStore;
  urls: RecordingUrls;
  metrics: Pick<CallMetrics, 'recording'>;
  log: Logger;
  now: () => Date;
}

const BATCH = 20;
/** Longer and longer, so that a store that is away for hours is not filled with the same audio every few seconds. */
const retry = { firstSeconds: 5, longestSeconds: 300 };
/** A switch that has no audio so long after the end of a call will not have any. */
const MISSING_MS = 600_000;
const MISSING_TRIES = 3;

/** Brings the audio of ended calls from the switch into the store, then tells of it. */
export function createRecordingFetcher(options: FetcherOptions): () => Promise<void> {
  const { database, outbox, callSwitch, store, urls, metrics, log, now } = options;

  /** Audio that nobody reads holds a connection to the switch. */
  async function put(callId: string, audio: RecordedAudio): Promise<{ size: number }> {
    try {
      return await store.put(callId, audio);
    } catch (error) {
      audio.content.on('error', () => undefined).destroy();
      throw error;
    }
  }

  async function fetch(call: Call & { tries: number }): Promise<void> {
    const callId = call.id;
    const audio = await callSwitch.fetchRecording(call);
    if (audio === undefined) {
      const endedMs = now().getTime() - (call.endedAt ?? now()).getTime();
      if (endedMs > MISSING_MS && call.tries >= MISSING_TRIES) {
        log.error({ callId }, 'the switch has no audio of a call that was to be recorded');
        await giveUpRecording(database, callId);
        metrics.recording('lost');
      }
      return;
    }
    const { size } = await put(callId, audio);
    const at = now();
    const recording = { callId, contentType: audio.contentType, size, at, url: urls.urlOf(callId) };
    await database.transaction(async (tx) => {
      const recorded = await markRecorded(tx, recording);
      if (recorded !== undefined) {
        const detail = { bytes: recording.size };
        await addToTimeline(tx, callId, { at, kind: 'recording', message: 'recording stored', detail });
        await outbox.write(tx, [callRecorded(recorded, at)]);
        tx.afterCommit(() => metrics.recording('stored'));
      }
    });
    await callSwitch.dropRecording(callId);
  }

  return async () => {
    const request = { switchName: callSwitch.name, now: now(), retry, limit: BATCH };
    const due = await takeUnfetched(database, request);
    await Promise.all(
      due.map((call) =>
        fetch(call).catch((error: unknown) =>
          log.warn({ err: error, callId: call.id }, 'a recording could not be stored, trying again'),
        ),
      ),
    );
  };
}
