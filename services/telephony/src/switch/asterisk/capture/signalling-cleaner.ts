import type { Database } from '@sabia/service-kit/postgres/database';
import { deleteSignalling } from '../../../storage/call-signalling';

export interface SignallingCleanerOptions {
  database: Database;
  /** 0: the messages are kept for ever. */
  retentionDays: number;
  now: () => Date;
}

const DAY_MS = 86_400_000;
const BATCH = 5_000;

/** Deletes the SIP messages of old calls. True: there are more. */
export function createSignallingCleaner({ database, retentionDays, now }: SignallingCleanerOptions) {
  return async (): Promise<boolean> => {
    if (retentionDays === 0) return false;
    const before = new Date(now().getTime() - retentionDays * DAY_MS);
    return (await deleteSignalling(database, before, BATCH)) === BATCH;
  };
}
