import type { Logger } from '@sabia/service-kit/logging';
import type { Outbox } from '@sabia/service-kit/events/outbox';
import type { Database } from '@sabia/service-kit/postgres/database';
import { deliveriesRecorded } from '../events/published';
import { giveBackDeliveries } from '../storage/claims';
import { giveUpForDisabled } from '../storage/give-up';
import type { StoredCircuit } from '../storage/results';
import type { Held } from './lane';
import type { ReceiverLanes } from './receiver-lanes';

/** Takes queued deliveries out of their lanes again. The table is told in the background. */
export interface Withdrawals {
  /** Returns deliveries to the table, where they are due immediately for every replica. */
  giveBack(items: Held[]): void;
  /** Returns all that is queued and not being sent. */
  giveBackAll(): void;
  /** Empties the lanes of receivers that were paused or disabled. */
  onCircuits(circuits: StoredCircuit[], disabled: number[]): void;
  /** Resolves when the table has been told of everything so far, or could not be told. */
  idle(): Promise<void>;
}

export interface WithdrawalsOptions {
  database: Database;
  outbox: Outbox;
  lanes: ReceiverLanes;
  /** The lease tokens of this process. */
  owners: string[];
  /** Once it aborts, the giving up of deliveries ends early. */
  stopping: AbortSignal;
  log: Logger;
  now: () => Date;
}

export function createWithdrawals(options: WithdrawalsOptions): Withdrawals {
  const { database, outbox, lanes, owners, stopping, log, now } = options;
  const underWay = new Set<Promise<void>>();

  function inBackground(work: Promise<void>, complaint: string): Promise<void> {
    const done = work.catch((error: unknown) => log.warn({ err: error }, complaint));
    underWay.add(done);
    return done.then(() => void underWay.delete(done));
  }

  async function giveBack(items: Held[]): Promise<void> {
    if (items.length === 0) {
      return;
    }
    const ids = items.map(({ id }) => id);
    for (const item of items) {
      lanes.of(item.integrationId).intake = 'table';
      // Before the table is told: this process may be the one that claims it next, and then holds it anew.
      lanes.release(item);
    }
    return inBackground(
      giveBackDeliveries(database, ids, owners, now()),
      'deliveries could not be given back, they are due again when their lease ends',
    );
  }

  async function giveUp(items: Held[], at: Date): Promise<void> {
    // Those with a lease would count as being sent.
    await giveBack(items);
    await giveUpForDisabled(database, at, stopping, (tx, dead) => outbox.write(tx, deliveriesRecorded(dead, at)));
  }

  return {
    giveBack: (items) => void giveBack(items),
    giveBackAll: () => lanes.all().forEach((lane) => void giveBack(lane.withdrawAll())),
    onCircuits(circuits, disabled) {
      const at = now();
      for (const { id, pausedUntil, consecutiveFailures } of circuits) {
        const lane = lanes.of(id);
        lane.faults = Math.max(lane.faults, consecutiveFailures);
        if (pausedUntil !== null && pausedUntil > at) {
          void giveBack(lane.withdrawAll());
        }
      }
      if (disabled.length > 0) {
        const items = disabled.flatMap((id) => lanes.of(id).withdrawAll());
        void inBackground(
          giveUp(items, at),
          'deliveries of disabled webhooks could not be given up, housekeeping will do it',
        );
      }
    },
    async idle() {
      await Promise.all(underWay);
    },
  };
}
