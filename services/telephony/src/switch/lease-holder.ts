import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from '@sabia/service-kit/logging';
import type { Database } from '@sabia/service-kit/postgres/database';
import { releaseLease, takeLease } from '../storage/switch-leases';

export interface LeaseHolder {
  /** Nobody else can hold it at this moment: it was renewed and has not run out since. */
  readonly holds: boolean;
  start(): void;
  /** Lets go of the lease, so that another replica takes over at once. */
  stop(): Promise<void>;
}

export interface LeaseHolderOptions {
  database: Database;
  switchName: string;
  /** Names this process. */
  holder: string;
  seconds: number;
  log: Logger;
  onGained: () => Promise<void>;
  onLost: () => Promise<void>;
  /** Milliseconds of a clock that nobody sets. */
  elapsed?: () => number;
}

const SHARE_OF_LEASE = 3;
const RETRY_MS = 500;

/** One replica drives a switch at a time; the others wait for their turn. */
export function createLeaseHolder(options: LeaseHolderOptions): LeaseHolder {
  const { database, switchName, holder, seconds, log, onGained, onLost } = options;
  const { elapsed = () => performance.now() } = options;
  const stopping = new AbortController();
  let loop: Promise<void> | undefined;
  let held = false;
  let failing = false;
  let runsOutAt = -Infinity;

  async function look(): Promise<void> {
    try {
      // The database counts from when it gets to it, which is later.
      const askedAt = elapsed();
      const mine = await takeLease(database, { switchName, holder, seconds });
      runsOutAt = mine ? askedAt + seconds * 1000 : -Infinity;
      failing = false;
      if (mine && !held) {
        held = true;
        log.info({ switch: switchName }, 'this replica drives the switch now');
        await onGained();
      } else if (!mine && held) {
        held = false;
        log.warn({ switch: switchName }, 'another replica drives the switch now');
        await onLost();
      }
    } catch (error) {
      // With the database away nobody else can take it either; whether it is still ours shows when it is back.
      if (!failing) log.warn({ err: error }, 'the lease of the switch cannot be renewed just now');
      failing = true;
    }
  }

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      await look();
      const share = (seconds * 1000) / SHARE_OF_LEASE;
      const pause = failing ? Math.min(share, RETRY_MS) : share;
      await delay(pause, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  }

  return {
    get holds() {
      return held && elapsed() < runsOutAt;
    },
    start() {
      loop ??= run();
    },
    async stop() {
      stopping.abort();
      await loop;
      if (held) {
        held = false;
        await onLost();
        await releaseLease(database, { switchName, holder }).catch((error: unknown) =>
          log.warn({ err: error }, 'the lease of the switch could not be given back; it runs out by itself'),
        );
      }
    },
  };
}
