import type { Database } from '@sabia/service-kit/postgres/database';
import { deleteLegEvents } from '../../storage/leg-events';

/** Longer than it takes to find out how a call ended. */
const KEPT_MS = 10 * 60_000;

/** Deletes what Asterisk has recorded of calls that have ended. */
export function createLegEventCleaner({ database, now }: { database: Database; now: () => Date }) {
  return async (): Promise<void> => deleteLegEvents(database, new Date(now().getTime() - KEPT_MS));
}
