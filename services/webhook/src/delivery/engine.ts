import { randomUUID } from 'node:crypto';
import type { Outbox } from '@sabia/service-kit/events/outbox';
import type { Logger } from '@sabia/service-kit/logging';
import type { Database } from '@sabia/service-kit/postgres/database';
import { createPeriodicWork } from '@sabia/service-kit/work/periodic-work';
import type { Receiver } from '../domain/receiver';
import type { SecretVault } from '../domain/secret-vault';
import type { HandOver, NewDelivery } from '../storage/deliveries';
import { removeWorker, reportWorker } from '../storage/workers';
import type { BeginAttempt } from './attempt-spans';
import { createClaimer } from './claimer';
import { createDispatcher } from './dispatcher';
import type { DeliveryMetrics } from './metrics';
import { createReceiverLanes } from './receiver-lanes';
import { createRecorder } from './recorder';
import type { RecordedResult } from './recorder';
import type { Sender } from './sender';
import { openTargets } from './target';
import { createWithdrawals } from './withdrawals';

export interface DeliveryEngine {
  start(): void;
  /** Claims due deliveries now instead of at the next poll. */
  poke(): void;
  /** Before deliveries are inserted: resolves when those handed over before are not too many. */
  room(): Promise<void>;
  /** The receivers whose new deliveries this process sends itself, and the lease for them. */
  offer(receivers: readonly Receiver[]): HandOver;
  /** Takes deliveries that are committed and leased to this process. */
  accept(deliveries: readonly NewDelivery[], receivers: readonly Receiver[]): void;
  /** Notes deliveries that are committed without a lease, for any replica to claim. */
  leave(deliveries: readonly NewDelivery[], receivers: readonly Receiver[]): void;
  /** Requests under way may finish within a grace period; a later one is sent again by another process when its lease has ended. */
  stop(): Promise<void>;
}

export interface EngineOptions {
  database: Database;
  outbox: Outbox;
  sender: Sender;
  vault: SecretVault;
  metrics: DeliveryMetrics;
  beginAttempt: BeginAttempt;
  log: Logger;
  now: () => Date;
  leaseMs: number;
  pollMs?: number;
  stopGraceMs?: number;
}

/** A delivery that has waited for longer is given back: its receiver may have a new address by then, and other replicas may be free. */
const longestWaitMs = 5_000;
const reportEveryMs = 2_000;
const silenceMs = 3 * reportEveryMs;

/**
 * Sends what is in the table `delivery_queue`. New rows come straight from the process that has inserted them, already leased to it;
 * the others (retries, replays, overflow, what a dead process has left) are claimed from the table.
 */
export function createDeliveryEngine(options: EngineOptions): DeliveryEngine {
  const { database, outbox, sender, vault, metrics, beginAttempt, log, now, leaseMs } = options;
  const { pollMs = 500, stopGraceMs = 10_000 } = options;
  const owner = randomUUID();
  // Claimed deliveries reach their lane a moment after their claim is committed. With a lease token of their own they count as
  // those of another process, and a later event of the same call waits in the table instead of overtaking them.
  const claimant = randomUUID();
  const owners = [owner, claimant];
  const stopping = new AbortController();

  const lanes = createReceiverLanes();
  const withdrawals = createWithdrawals({ database, outbox, lanes, owners, stopping: stopping.signal, log, now });
  const recorder = createRecorder({
    database,
    outbox,
    log,
    now,
    owners,
    onWritten,
    onCircuits: (circuits, disabled) => withdrawals.onCircuits(circuits, disabled),
  });
  const dispatcher = createDispatcher({
    lanes,
    sender,
    recorder,
    giveBack: (items) => withdrawals.giveBack(items),
    metrics,
    beginAttempt,
    // What is sent has most of its lease left.
    patienceMs: Math.min(longestWaitMs, leaseMs / 3),
    now,
  });
  const claims = createPeriodicWork({
    name: 'claims of deliveries',
    everyMs: pollMs,
    work: createClaimer({ database, claimant, leaseMs, lanes, dispatcher, recorder, vault, log, now }),
    log,
  });
  const reports = createPeriodicWork({
    name: 'report of this replica',
    everyMs: reportEveryMs,
    async work() {
      const others = await reportWorker(database, owner, silenceMs).catch(() => 0);
      lanes.alone = others === 0;
    },
    log,
  });

  function onWritten(results: RecordedResult[]): void {
    results.forEach(({ deliveryId, integrationId }) => lanes.release({ id: deliveryId, integrationId }));
    // There is room for more, and perhaps the next event of a call waits in the table.
    if (lanes.wantMore(results)) {
      claims.wake();
    }
  }

  return {
    start() {
      reports.start();
      claims.start();
    },
    poke: () => claims.wake(),
    room: () => lanes.room(),
    offer: (receivers) => ({
      owner,
      leaseUntil: new Date(now().getTime() + leaseMs),
      integrationIds: stopping.signal.aborted ? new Set() : lanes.willing(receivers),
    }),
    accept(deliveries, receivers) {
      const targets = openTargets(receivers, { vault, log, now: now() });
      const heldAt = performance.now();
      const standing = { test: false, failures: 0, first: true, troubled: false, claimed: false };
      dispatcher.take(
        deliveries.flatMap(({ id, integrationId, callId, eventType, payload, traceparent }) => {
          const target = targets.get(integrationId);
          return target === undefined
            ? []
            : [{ id, integrationId, callId, eventType, payload, traceparent, target, heldAt, ...standing }];
        }),
      );
    },
    leave(deliveries, receivers) {
      const left = new Set(deliveries.map(({ integrationId }) => integrationId));
      const at = now();
      // Otherwise a stream of events for a receiver that is paused or has enough would have the table searched over and over.
      if (receivers.some((receiver) => left.has(receiver.integrationId) && lanes.hasRoom(receiver, at))) {
        claims.wake();
      }
    },
    async stop() {
      stopping.abort();
      dispatcher.close();
      await Promise.all([claims.stop(), reports.stop()]);
      withdrawals.giveBackAll();
      await withdrawals.idle();
      const graceEnds = setTimeout(() => {
        recorder.giveUp();
        void sender.close();
      }, stopGraceMs);
      await dispatcher.idle();
      await recorder.idle();
      clearTimeout(graceEnds);
      await sender.close();
      await removeWorker(database, owner).catch(() => undefined);
    },
  };
}
