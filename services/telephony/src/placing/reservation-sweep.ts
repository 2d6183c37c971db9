import type { Logger } from '@sabia/service-kit/logging';
import type { Database } from '@sabia/service-kit/postgres/database';
import type { Billing, OpenReservation } from '../clients/billing';
import { isWritingSince, listPlaced } from '../storage/place-calls';
import { longestPlacingSeconds } from './call-writer';

export interface ReservationSweepOptions {
  database: Database;
  billing: Pick<Billing, 'listOpen' | 'release'>;
  log: Logger;
  longestPlacingSeconds?: number;
}

/** A reservation of this age has its call or will never have one. With a sweep every ten seconds that is less than a minute. */
const orphanedAfterSeconds = 40;

/**
 * Releases credit reserved for calls that were never placed: the write failed and so did the release, or the process died in
 * between. Only telephony knows that there is no such call. Each reservation is checked until it has its call or is released.
 */
export function createReservationSweep(options: ReservationSweepOptions): () => Promise<void> {
  const { database, billing, log, longestPlacingSeconds: longest = longestPlacingSeconds } = options;
  let from: Date | undefined;

  return async () => {
    const open = await billing.listOpen({ from, olderThanSeconds: orphanedAfterSeconds });
    const placed = await listPlaced(
      database,
      open.map(({ callId }) => callId),
    );
    const orphans = open.filter(({ callId }) => !placed.has(callId));
    if (orphans.length > 0 && (await isWritingSince(database, longest))) {
      log.warn({ reservations: orphans.length }, 'reservations without a call wait for a long transaction to end');
      return;
    }
    await releaseAll(orphans);
    from = open.at(-1)?.createdAt ?? from;
  };

  /** A reservation that cannot be released fails the sweep, and the next sweep begins where this one did. */
  async function releaseAll(orphans: OpenReservation[]): Promise<void> {
    for (const { callId } of orphans) {
      await billing.release(callId);
      log.warn({ callId }, 'credit reserved for a call that was never placed has been released');
    }
  }
}
