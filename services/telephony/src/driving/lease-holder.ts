import { createWakeup } from '@sabia/service-kit/work/wakeup';
import type { Logger } from '@sabia/service-kit/logging';
import type { Database } from '@sabia/service-kit/postgres/database';
import { releaseLease, takeLease } from '../storage/switch-leases';

export interface LeaseHolder {
  /** No other replica can hold the lease at this moment: it was renewed and has not expired since. */
  readonly holds: boolean;
  start(): void;
  /** Gives the lease back because the switch is out of reach; takes it again once the switch is reached and the lease is free. */
  resign(): void;
  /** Gives the lease back, so that another replica takes over at once. */
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
  /** Called each time this replica finds the switch out of reach while it does not hold the lease. */
  onUnreachable: () => Promise<void>;
  onGained: () => Promise<void>;
  onLost: () => Promise<void>;
  /** Milliseconds of a monotonic clock. */
  elapsed?: () => number;
}

const SHARE_OF_LEASE = 3;
/** How often a replica on standby tries to take the lease. */
const STANDBY_MS = 1_000;
const RETRY_MS = 500;

/** One replica at a time holds the lease of a switch and drives it; the others stand by. */
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
      log.warn({ err: error }, 'the lease of the switch could not be given back; it expires by itself'),
    );
  }

  async function takeOrRenew(): Promise<void> {
    // The lease in the database begins later, when the statement runs.
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
      log.warn({ switch: switchName }, 'this replica cannot reach the switch and gives the lease back');
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
        // While the database is away no other replica can take the lease either.
        if (!failing) log.warn({ err: error }, 'the lease of the switch cannot be renewed at the moment');
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
