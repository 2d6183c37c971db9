import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from '@sabia/service-kit/logging';
import type { Database } from '@sabia/service-kit/postgres/database';
import { deleteOlderThan, listUnremoved, markRemoved } from '../../storage/recordings';
import type { RecordingStore } from './store';

export interface CleanerOptions {
  database: Database;
  store: RecordingStore;
  /** 0: recordings are kept for ever. */
  retentionDays: number;
  everyMs: number;
  log: Logger;
  now: () => Date;
}

export interface Cleaner {
  start(): void;
  stop(): Promise<void>;
}

const BATCH = 200;
const DAY_MS = 86_400_000;

/** Removes recordings that are older than they may become. Any number of replicas may do this at once. */
export function createRecordingCleaner(options: CleanerOptions): Cleaner {
  const { database, store, retentionDays, everyMs, log, now } = options;
  const stopping = new AbortController();
  let loop: Promise<void> | undefined;

  async function clean(): Promise<void> {
    const bound = new Date(now().getTime() - retentionDays * DAY_MS);
    while (retentionDays > 0 && (await deleteOlderThan(database, bound, now(), BATCH)) === BATCH) {
      if (stopping.signal.aborted) return;
    }
    for (const callId of await listUnremoved(database, BATCH)) {
      await store.remove(callId);
      await markRemoved(database, callId, now());
    }
  }

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      await clean().catch((error: unknown) =>
        log.warn({ err: error }, 'old recordings could not be removed, trying again'),
      );
      await delay(everyMs, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  }

  return {
    start() {
      loop ??= run();
    },
    async stop() {
      stopping.abort();
      await loop;
    },
  };
}
