import { setTimeout as delay } from 'node:timers/promises';
import type { Outbox } from '@sabia/service-kit/events/outbox';
import type { Logger } from '@sabia/service-kit/logging';
import type { Database } from '@sabia/service-kit/postgres/database';
import { createPeriodicWork } from '@sabia/service-kit/work/periodic-work';
import { takeUntold, toldAtOnce } from '../storage/told-balances';
import { balanceChanged } from './published';

/** Called when the credit of an account, or the part of it that calls hold, has changed. */
export type TellBalance = (accountId: number) => void;

export interface BalanceTellerOptions {
  database: Database;
  outbox: Outbox;
  log: Logger;
  /** How long changes are gathered. */
  gatherMs?: number;
  sweepMs?: number;
}

/**
 * Publishes changed balances a moment later, because an event with every reservation would slow down the placing of calls. What a
 * process that died has not told, any process finds when it starts and once a minute.
 */
export function createBalanceTeller(options: BalanceTellerOptions) {
  const { database, outbox, log, gatherMs = 250, sweepMs = 60_000 } = options;
  const changed = new Set<number>();

  async function tell(accountIds: number[] | undefined): Promise<number> {
    return database.transaction(async (tx) => {
      const untold = await takeUntold(tx, accountIds);
      await outbox.write(tx, untold.map(balanceChanged));
      return untold.length;
    });
  }

  const work = createPeriodicWork({
    name: 'balances',
    everyMs: sweepMs,
    retryMs: 5_000,
    log,
    async work(signal) {
      if (changed.size === 0) {
        return (await tell(undefined)) === toldAtOnce;
      }
      await delay(gatherMs, undefined, { signal }).catch(() => undefined);
      const accountIds = [...changed];
      changed.clear();
      return (await tell(accountIds)) === toldAtOnce || changed.size > 0;
    },
  });

  const tellBalance: TellBalance = (accountId) => {
    changed.add(accountId);
    work.wake();
  };
  return { tellBalance, start: () => work.start(), stop: () => work.stop() };
}
