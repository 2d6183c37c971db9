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

  function inBackground(work: Promise<void>, complaint: string): void {
    const done = work.catch((error: unknown) => log.warn({ err: error }, complaint));
    underWay.add(done);
    void done.then(() => underWay.delete(done));
  }

  function giveBack(items: Held[]): void {
    if (items.length === 0) {
      return;
    }
    const ids = items.map(({ id }) => id);
    for (const item of items) {
      lanes.of(item.integrationId).intake = 'table';
      // Before the table is told: this process may be the one that claims it next, and then holds it anew.
      lanes.release(item);
    }
    inBackground(
      giveBackDeliveries(database, ids, owners, now()),
      'deliveries could not be given back, they are due again when their lease ends',
    );
  }

  return {
    giveBack,
    giveBackAll: () => lanes.all().forEach((lane) => giveBack(lane.withdrawAll())),
    onCircuits(circuits, disabled) {
      const at = now();
      for (const { id, pausedUntil, consecutiveFailures } of circuits) {
        const lane = lanes.of(id);
        lane.faults = Math.max(lane.faults, consecutiveFailures);
        if (pausedUntil !== null && pausedUntil > at) {
          giveBack(lane.withdrawAll());
        }
      }
      for (const id of disabled) {
        lanes.of(id).withdrawAll().forEach(lanes.release);
      }
      if (disabled.length > 0) {
        inBackground(
          giveUpForDisabled(database, at, stopping, (tx, dead) => outbox.write(tx, deliveriesRecorded(dead, at))),
          'deliveries of disabled webhooks could not be given up, housekeeping will do it',
        );
      }
    },
    async idle() {
      await Promise.all(underWay);
    },
  };
}
