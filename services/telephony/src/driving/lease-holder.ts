import { createWakeup } from '@sabia/service-kit/work/wakeup';
import type { Logger } from '@sabia/service-kit/logging';
import type { Database } from '@sabia/service-kit/postgres/database';
import { releaseLease, takeLease } from '../storage/switch-leases';

export interface LeaseHolder {
  /** Nobody else can hold it at this moment: it was renewed and has not run out since. */
  readonly holds: boolean;
  start(): void;
  /** This replica cannot reach the switch: it gives the lease back, and takes it again once it reaches the switch and no other has it. */
  resign(): void;
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
  /** The lease is of no use to a replica that cannot reach the switch. */
  isReachable: () => Promise<boolean>;
  /** Each time that it was not reached by this replica, which does not hold the lease. */
  onUnreachable: () => Promise<void>;
  onGained: () => Promise<void>;
  onLost: () => Promise<void>;
  /** Milliseconds of a clock that nobody sets. */
  elapsed?: () => number;
}

const SHARE_OF_LEASE = 3;
/** How soon a lease that was given back is taken. */
const STANDBY_MS = 1_000;
const RETRY_MS = 500;

/** One replica drives a switch at a time; the others wait for their turn. */
export function createLeaseHolder(options: LeaseHolderOptions): LeaseHolder {
  const { database, switchName, holder, seconds, log, isReachable, onUnreachable, onGained, onLost } = options;
  const { elapsed = () => performance.now() } = options;
  const pause = createWakeup();
  let loop: Promise<void> | undefined;
  let stopping = false;
  let held = false;
  let resigning = false;
  let failing = false;
  let runsOutAt = -Infinity;

  async function giveUp(): Promise<void> {
    held = false;
    await onLost();
    await releaseLease(database, { switchName, holder }).catch((error: unknown) =>
      log.warn({ err: error }, 'the lease of the switch could not be given back; it runs out by itself'),
    );
  }

  async function takeOrRenew(): Promise<void> {
    // The database counts from when it gets to it, which is later.
    const askedAt = elapsed();
    const mine = await takeLease(database, { switchName, holder, seconds });
    runsOutAt = mine ? askedAt + seconds * 1000 : -Infinity;
    if (mine && !held) {
      held = true;
      resigning = false;
      log.info({ switch: switchName }, 'this replica drives the switch now');
      await onGained();
    } else if (!mine && held) {
      held = false;
      log.warn({ switch: switchName }, 'another replica drives the switch now');
      await onLost();
    }
  }

  async function look(): Promise<void> {
    if (held && resigning) {
      log.warn({ switch: switchName }, 'this replica cannot reach the switch, another may drive it');
      await giveUp();
    } else if (held || (await isReachable())) {
      await takeOrRenew();
    } else {
      await onUnreachable();
    }
  }

  async function run(): Promise<void> {
    while (!stopping) {
      try {
        await look();
        failing = false;
      } catch (error) {
        // With the database away nobody else can take it either; whether it is still ours shows when it is back.
        if (!failing) log.warn({ err: error }, 'the lease of the switch cannot be renewed just now');
        failing = true;
      }
      const share = (seconds * 1000) / SHARE_OF_LEASE;
      await pause.sleep(Math.min(share, failing ? RETRY_MS : held ? share : STANDBY_MS));
    }
  }

  return {
    get holds() {
      return held && elapsed() < runsOutAt;
    },
    start() {
      loop ??= run();
    },
    resign() {
      if (held) {
        resigning = true;
        pause.poke();
      }
    },
    async stop() {
      stopping = true;
      pause.poke();
      await loop;
      if (held) await giveUp();
    },
  };
}
