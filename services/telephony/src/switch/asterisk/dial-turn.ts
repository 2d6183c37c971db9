import { setTimeout as delay } from 'node:timers/promises';
import type { Database } from '@sabia/service-kit/postgres/database';
import type { Trunk } from '../../domain/trunk';
import { pauseOf } from '../../domain/waiting-line';
import { takeDialTurn } from '../../storage/trunk-places';

/** Resolves when the calls per second of a trunk permit another INVITE. */
export type DialTurn = (trunk: Trunk | undefined) => Promise<void>;

/**
 * Calls leave the line no faster than their carrier permits, but phones are picked up when people like: the INVITEs themselves keep
 * the distance, whichever replica and switch they come from.
 */
export const createDialTurn =
  (database: Database): DialTurn =>
  async (trunk) => {
    if (trunk?.callsPerSecond === undefined) {
      return;
    }
    const waitMs = await takeDialTurn(database, trunk.name, pauseOf(trunk));
    if (waitMs > 0) await delay(waitMs);
  };
