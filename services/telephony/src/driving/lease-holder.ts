import { createWakeup } from '@sabia/service-kit/work/wakeup';
import type { Logger } from '@sabia/service-kit/logging';
import type { Database } from '@sabia/service-kit/postgres/database';
import type { LeaseTerm } from '../storage/lease-fence';
import { releaseLease, takeLease } from '../storage/switch-leases';

export interface LeaseHolder {
  /** No other replica can hold the lease at this moment: it was renewed and has not expired since. */
  readonly holds: boolean;
  /** What is written for the switch names it; it is refused once another replica has taken the lease. */
  readonly term: LeaseTerm;
  start(): void;
  /** Gives the lease back because the switch is out of reach; takes it again once the switch is reached and the lease is free. */
  resign(): void;
  /** Gives the lease back for a replica that has fewer switches to drive. */
  handOver(): void;
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
  /** False: this replica drives its share of switches already, so that others take a free lease first. */
  isWanting: () => boolean;
  onGained: () => Promise<void>;
  onLost: () => Promise<void>;
  /** Milliseconds of a monotonic clock. */
  elapsed?: () => number;
}

const SHARE_OF_LEASE = 3;
/** How often a replica on standby tries to take the lease. */
const STANDBY_MS = 1_000;
/** And how often one that has its share. */
const SATED_MS = 3_000;
const RETRY_MS = 500;

/** One replica at a time holds the lease of a switch and drives it; the others stand by. */
export function createLeaseHolder(options: LeaseHolderOptions): LeaseHolder {
  const { database, switchName, holder, seconds, log, isReachable, isWanting, onGained, onLost } = options;
  const { elapsed = () => performance.now() } = options;
  const pause = createWakeup();
  let loop: Promise<void> | undefined;
  let stopping = false;
  let held = false;
  let giving: 'unreachable' | 'hand over' | undefined;
  let failing = false;
  let runsOutAt = -Infinity;
  let term = 0;
  let nextTryAt = -Infinity;

  /** The lease counts until the driver has left: what it has begun with a call, it may bring to an end. */
  async function giveUp(): Promise<void> {
    try {
      await onLost();
    } finally {
      held = false;
    }
    await releaseLease(database, { switchName, holder }).catch((error: unknown) =>
      log.warn({ err: error }, 'the lease of the switch could not be given back; it expires by itself'),
    );
  }

  async function takeOrRenew(): Promise<void> {
    // The lease in the database begins later, when the statement runs.
    const askedAt = elapsed();
    const mine = await takeLease(database, { switchName, holder, seconds });
    runsOutAt = mine === undefined ? -Infinity : askedAt + seconds * 1000;
    if (mine !== undefined && held && mine !== term) {
      // Another replica has had it in between.
      held = false;
      await onLost();
    }
    if (mine !== undefined && !held) {
      held = true;
      giving = undefined;
      term = mine;
      log.info({ switch: switchName, term }, 'this replica drives the switch now');
      await onGained();
    } else if (mine === undefined && held) {
      held = false;
      log.warn({ switch: switchName }, 'another replica drives the switch now');
      await onLost();
    }
  }

  async function look(): Promise<void> {
    if (held && giving !== undefined) {
      if (giving === 'unreachable') {
        log.warn({ switch: switchName }, 'this replica cannot reach the switch and gives the lease back');
      } else {
        log.info({ switch: switchName }, 'this replica drives more switches than others and gives one back');
      }
      nextTryAt = elapsed() + (giving === 'hand over' ? SATED_MS : 0);
      giving = undefined;
      await giveUp();
      return;
    }
    if (!held) {
      if (elapsed() < nextTryAt) return;
      nextTryAt = elapsed() + (isWanting() ? 0 : SATED_MS);
      if (!(await isReachable())) return;
    }
    await takeOrRenew();
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

  function give(why: typeof giving): void {
    if (held) {
      giving = why;
      pause.poke();
    }
  }

  return {
    get holds() {
      return held && elapsed() < runsOutAt;
    },
    get term() {
      return { switchName, term };
    },
    start() {
      loop ??= run();
    },
    resign: () => give('unreachable'),
    handOver: () => give('hand over'),
    async stop() {
      stopping = true;
      pause.poke();
      await loop;
      if (held) await giveUp();
    },
  };
}
