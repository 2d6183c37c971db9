import type { Database } from '@sabia/service-kit/postgres/database';
import { deleteLegEvents } from './leg-events';

/** Longer than it takes to find out what became of a call. */
const KEPT_MS = 10 * 60_000;

/** What Asterisk has written down of calls whose end is known. */
export function createLegEventCleaner({ database, now }: { database: Database; now: () => Date }) {
  return async (): Promise<void> => deleteLegEvents(database, new Date(now().getTime() - KEPT_MS));
}
