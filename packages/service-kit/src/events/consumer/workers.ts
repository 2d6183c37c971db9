import type { Database, Transaction } from '../../postgres/database';
import { isConnectionSpent } from '../../postgres/errors';
import type { ConsumerMetrics } from './metrics';
import type { EventDelivery, ReceivedEvent } from './delivery';
import type { EventScope } from './event-scope';
import type { Failures } from './failures';
import type { Inbox } from './inbox';
import type { Patience } from './patience';
import type { PutOff } from './retry-later';

/** Settles every delivery of the batch; never rejects. */
export type Worker = (batch: EventDelivery[]) => Promise<void>;

export interface WorkerParts {
  database: Database;
  inbox: Inbox;
  scope: EventScope;
  failures: Failures;
  patience: Patience;
  metrics: ConsumerMetrics;
  ending: AbortSignal;
  now: () => Date;
}

/** Handles the events of one transaction, each in its own scope or all in that of the first; returns those put off. */
export type BatchHandler = (
  deliveries: EventDelivery[],
  tx: Transaction,
  signal: AbortSignal,
  scope: EventScope,
) => Promise<PutOff[]>;

export const oneByOne =
  (handle: (event: ReceivedEvent, tx: Transaction) => Promise<void>): BatchHandler =>
  async (deliveries, tx, signal, scope) => {
    for (const delivery of deliveries) {
      await scope.handling(delivery, signal, () => handle(delivery.event, tx));
    }
    return [];
  };

export const together =
  (handleBatch: (events: ReceivedEvent[], tx: Transaction) => Promise<PutOff[] | void>): BatchHandler =>
  async (deliveries, tx, signal, scope) => {
    if (deliveries.length === 0) {
      return [];
    }
    const events = deliveries.map(({ event }) => event);
    return (await scope.handlingAll(deliveries, signal, () => handleBatch(events, tx))) ?? [];
  };

interface Handled {
  fresh: Set<EventDelivery>;
  /** Event ids and their delays. */
  putOff: Map<string, number>;
}

/**
 * Writes the inbox rows and the effects of a whole batch in one transaction. When it fails, each event gets a transaction of
 * its own. When the handler puts an event off, the rest of the batch commits.
 */
export function createTransactionalWorker(parts: WorkerParts, handle: BatchHandler): Worker {
  const { database, inbox, scope, failures, patience, ending } = parts;

  const attempt = (batch: EventDelivery[]): Promise<Handled> =>
    scope.attempt((signal) =>
      database.transaction(async (tx) => {
        const unseen = await inbox.record(
          tx,
          batch.map(({ event }) => event.id),
        );
        // A message may be in the batch twice; deleting makes the second one a duplicate.
        const fresh = batch.filter(({ event }) => unseen.delete(event.id));
        const answer = await handle(fresh, tx, signal, scope);
        const putOff = new Map(answer.map(({ event, delayMs }) => [event.id, delayMs]));
        if (putOff.size > 0) {
          await inbox.unrecord(tx, [...putOff.keys()]);
        }
        const again = fresh.filter(({ isAgain, event }) => isAgain && !putOff.has(event.id));
        if (again.length > 0) {
          await inbox.forget(
            tx,
            again.map(({ event }) => event.id),
          );
        }
        return { fresh: new Set(fresh), putOff };
      }),
    );

  const work: Worker = async (batch) => {
    try {
      const { fresh, putOff } = await patience.throughOutage(() => attempt(batch));
      for (const delivery of batch.filter(({ event }) => putOff.has(event.id))) {
        failures.putOff(delivery, putOff.get(delivery.event.id)!);
      }
      settleHandled(
        parts,
        batch.filter(({ event }) => !putOff.has(event.id)),
        fresh,
      );
    } catch (error) {
      if (ending.aborted) {
        batch.forEach((delivery) => delivery.retry());
      } else if (batch.length > 1) {
        for (const delivery of batch) {
          await work([delivery]);
        }
      } else {
        await settleFailed(parts, batch[0] as EventDelivery, () => failures.settle(batch[0] as EventDelivery, error));
      }
    }
  };
  return work;
}

/**
 * For effects that are not SQL: claims the event, runs the effect, writes the inbox row and acknowledges, in this order. An
 * effect is repeated only if the process dies, or is stopped by force, between the effect and the inbox row. Another replica
 * that gets the same event meanwhile finds it claimed and waits. If the database goes away after the effect, the row is
 * written when it is back.
 */
export function createEffectWorker(
  parts: WorkerParts,
  leaseMs: number,
  effect: (event: ReceivedEvent, signal: AbortSignal) => Promise<void>,
): Worker {
  const { inbox, scope, failures, patience, ending } = parts;
  return async (batch) => {
    for (const delivery of batch) {
      const { event } = delivery;
      try {
        const claim = await patience.throughOutage(() => inbox.claim(event.id, leaseMs));
        if (claim === 'busy') {
          delivery.retry(busyDelayMs);
          continue;
        }
        if (claim === 'claimed') {
          await scope.attempt((signal) => scope.handling(delivery, signal, () => effect(event, signal)));
          await patience.throughOutage(() => inbox.complete(event.id));
        }
        settleHandled(parts, [delivery], new Set(claim === 'claimed' ? [delivery] : []));
      } catch (error) {
        if (ending.aborted) {
          await inbox.release(event.id).catch(() => undefined);
          delivery.retry();
        } else {
          await settleFailed(parts, delivery, () => failures.settle(delivery, error));
        }
      }
    }
  };
}

const busyDelayMs = 5_000;
const unsettledDelayMs = 5_000;

function settleHandled({ metrics, now }: WorkerParts, batch: EventDelivery[], fresh: ReadonlySet<EventDelivery>): void {
  const at = now().getTime();
  const handled = new Map<string, number>();
  for (const delivery of batch) {
    const { type, occurredAt } = delivery.event;
    delivery.ack();
    if (fresh.has(delivery)) {
      handled.set(type, (handled.get(type) ?? 0) + 1);
      metrics.delay(type, Math.max(0, (at - occurredAt.getTime()) / 1000));
    } else {
      metrics.count(type, 'duplicate');
    }
  }
  handled.forEach((many, type) => metrics.count(type, 'handled', many));
}

/** If recording the failure fails as well, the event is delivered again. */
async function settleFailed(
  { ending }: WorkerParts,
  delivery: EventDelivery,
  settle: () => Promise<void>,
): Promise<void> {
  try {
    await settle();
  } catch (error) {
    delivery.retry(ending.aborted || isConnectionSpent(error) ? 0 : unsettledDelayMs);
  }
}
