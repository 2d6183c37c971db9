import { isSerializationFailure } from '@sabia/service-kit/postgres/errors';
import { retry } from '@sabia/service-kit/work/retry';
import type { Outbox } from '@sabia/service-kit/events/outbox';
import type { Logger } from '@sabia/service-kit/logging';
import type { Database } from '@sabia/service-kit/postgres/database';
import type { Call } from '../domain/call';
import type { RecordingUrls } from '../domain/recording-url';
import { callRecorded } from '../events/published';
import { findRecordingFormats } from '../storage/account-zones';
import { giveUpRecording, markDropped, markRecorded, takeUndropped, takeUnfetched } from '../storage/recordings';
import { addToTimelines } from '../storage/timeline';
import type { CallMetrics } from '../call-metrics';
import type { CallSwitch, RecordedAudio } from '../switch/port';
import { linksOf } from './links';
import { declaredMissing, missingSeconds } from './missing-seconds';
import type { Mp3Copies } from './mp3-copies';
import type { RecordingStore } from './store';

export interface FetcherOptions {
  database: Database;
  outbox: Outbox;
  callSwitch: Pick<CallSwitch, 'name' | 'fetchRecording' | 'dropRecording'>;
  store: RecordingStore;
  mp3Copies: Pick<Mp3Copies, 'makeAhead'>;
  urls: RecordingUrls;
  metrics: Pick<CallMetrics, 'recording'>;
  log: Logger;
  now: () => Date;
}

const BATCH = 20;
/** The pause grows, so that a store that fails for hours is not sent the same audio every few seconds. */
const fetchAgain = { firstSeconds: 5, longestSeconds: 300 };
/** A switch that has no audio this long after the end of a call will never have it. */
const MISSING_MS = 600_000;
const MISSING_TRIES = 3;
/** The switch may still be writing audio that is too short; after this many tries it is stored as it is. */
const SHORT_TRIES = 3;
/** How soon a switch that did not delete its copy is told again. */
const DROP_AGAIN_MS = 60_000;

/** Moves the audio of ended calls from the switch to the store and publishes that it is there. */
export function createRecordingFetcher(options: FetcherOptions): () => Promise<void> {
  const { database, outbox, callSwitch, store, mp3Copies, urls, metrics, log, now } = options;

  /** Destroys the audio stream on failure: an unread one would hold a connection to the switch. */
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
        log.error({ callId }, 'the switch has no audio of a call that should have been recorded');
        await giveUpRecording(database, callId);
        metrics.recording('lost');
      }
      return;
    }
    const { size } = await put(callId, audio);
    const missing = missingSeconds(size, audio.wholeSeconds);
    if (missing > 0 && call.tries < SHORT_TRIES) {
      return;
    }
    await tell(call, { contentType: audio.contentType, size, missing: declaredMissing(call, missing) });
    // Not awaited: encoding an hour of audio takes most of a minute.
    void makeMp3(call);
    await drop(callId);
  }

  /** For accounts whose links lead to MP3s. If it fails, the MP3 is made on the first request for it. */
  async function makeMp3({ id: callId, accountId }: Call): Promise<void> {
    try {
      const formats = await findRecordingFormats(database, [accountId]);
      if (formats.get(accountId) === 'mp3') {
        await mp3Copies.makeAhead({ callId, accountId });
      }
    } catch (error) {
      log.warn(
        { err: error, callId },
        'the MP3 of a recording could not be made; the first request for it will make it',
      );
    }
  }

  async function tell(
    call: Call,
    { contentType, size, missing }: { contentType: string; size: number; missing: number },
  ): Promise<void> {
    const callId = call.id;
    const at = now();
    const url = (await linksOf(database, urls, [call])).get(callId)!;
    const dropAt = new Date(at.getTime() + DROP_AGAIN_MS);
    const recording = { callId, contentType, size, at, url, missingSeconds: missing, dropAt };
    const isWhole = missing === 0;
    const store = () =>
      database.transaction(async (tx) => {
        const recorded = await markRecorded(tx, recording);
        if (recorded !== undefined) {
          const message = isWhole ? 'recording stored' : 'recording stored, part of the call is missing';
          const detail = { bytes: size, ...(!isWhole && { missingSeconds: missing }) };
          await addToTimelines(tx, [{ callId, at, kind: 'recording', message, detail }]);
          await outbox.write(tx, [callRecorded(recorded, at, missing)]);
          tx.afterCommit(() => metrics.recording(isWhole ? 'stored' : 'incomplete'));
        }
      });
    // A call that got its price in this moment has become final, and with that a row of another table.
    await retry(store, { mayPass: isSerializationFailure, pauseMs: () => 0 });
    if (!isWhole) log.error({ callId, missingSeconds: missing }, 'part of a call is missing from its recording');
  }

  /** Deletes the copy on the switch, whose disk would fill up. */
  async function drop(callId: string): Promise<void> {
    try {
      await callSwitch.dropRecording(callId);
      await markDropped(database, callId);
    } catch (error) {
      log.warn({ err: error, callId }, 'a stored recording could not be deleted from the switch, trying again');
    }
  }

  async function fetchDue(): Promise<void> {
    const request = { switchName: callSwitch.name, now: now(), retry: fetchAgain, limit: BATCH };
    const due = await takeUnfetched(database, request);
    await Promise.all(
      due.map((call) =>
        fetch(call).catch((error: unknown) =>
          log.warn({ err: error, callId: call.id }, 'a recording could not be stored, trying again'),
        ),
      ),
    );
  }

  async function dropDue(): Promise<void> {
    const at = now();
    const nextAt = new Date(at.getTime() + DROP_AGAIN_MS);
    const due = await takeUndropped(database, { switchName: callSwitch.name, now: at, nextAt, limit: BATCH });
    await Promise.all(due.map(drop));
  }

  return async () => {
    await fetchDue();
    await dropDue();
  };
}
