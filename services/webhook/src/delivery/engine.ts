import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { createWakeup } from '@sabia/service-kit/work/wakeup';
import type { Outbox } from '@sabia/service-kit/events/outbox';
import type { Logger } from '@sabia/service-kit/logging';
import type { Database } from '@sabia/service-kit/postgres/database';
import { hasTrouble } from '../domain/circuit';
import { isFault, judge } from '../domain/outcome';
import type { Attempt, Outcome } from '../domain/outcome';
import type { Receiver } from '../domain/receiver';
import type { SecretVault } from '../domain/secret-vault';
import { claimDeliveries, giveBackDeliveries } from '../storage/claims';
import type { Claim } from '../storage/claims';
import type { HandOver, NewDelivery } from '../storage/deliveries';
import { giveUpForDisabled } from '../storage/give-up';
import { findReceiversById } from '../storage/receivers';
import type { StoredCircuit } from '../storage/results';
import { removeWorker, reportWorker } from '../storage/workers';
import type { BeginAttempt } from './attempt-spans';
import { createLanes } from './receiver-lanes';
import type { Held, Lane } from './lane';
import type { DeliveryMetrics } from './metrics';
import { createRecorder } from './recorder';
import type { RecordedResult } from './recorder';
import type { Sender } from './sender';
import { createSlots } from './slots';
import { createTarget } from './target';
import type { Target } from './target';
import { webhookIdOf } from './webhook-id';

export interface DeliveryEngine {
  start(): void;
  /** There is something to send; without it the next poll finds it. */
  poke(): void;
  /** For whoever is about to insert deliveries: resolves when what was handed over before is not too much. */
  room(): Promise<void>;
  /** Of which receivers this process sends new deliveries itself, and under whose name. */
  offer(receivers: readonly Receiver[]): HandOver;
  /** They are committed, and leased to this process. */
  accept(deliveries: readonly NewDelivery[], receivers: readonly Receiver[]): void;
  /** They are committed, for whoever claims them. */
  leave(deliveries: readonly NewDelivery[], receivers: readonly Receiver[]): void;
  /** What is under way may finish; what takes too long is left to whoever comes when its lease has ended. */
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

const largestClaim = 2_048;
const mostAtOnce = 8_192;
/** However many receivers it has, and however slow they are. */
const mostOfAccount = mostAtOnce / 4;
/** What has waited for longer goes back: its receiver may have got another address meanwhile, and others may be free. */
const longestWaitMs = 5_000;
const reportEveryMs = 2_000;
const silenceMs = 3 * reportEveryMs;

/**
 * Sends what stands in the table `deliveries`. New ones come straight from the process that has inserted them, already leased
 * to it; the rest (retries, replays, what was too much at once, what a dead process has left) is claimed from the table.
 */
export function createDeliveryEngine(options: EngineOptions): DeliveryEngine {
  const { database, sender, vault, metrics, beginAttempt, log, now, leaseMs } = options;
  const { pollMs = 500, stopGraceMs = 10_000 } = options;
  const owner = randomUUID();
  // Claimed ones are not in their lane as soon as that is committed. Under a name of their own, they look like somebody else's to
  // whoever inserts a later event of the same call, which then waits for its turn in the table.
  const claimant = randomUUID();
  const owners = [owner, claimant];
  // Whatever is sent has most of its lease before it.
  const patienceMs = Math.min(longestWaitMs, leaseMs / 3);
  const wakeup = createWakeup();
  const lanes = createLanes();
  const held = new Set<string>();
  const slots = createSlots<Lane>(mostAtOnce, mostOfAccount);
  const besides = new Set<Promise<void>>();
  let stopping = false;
  let running: Promise<void> = Promise.resolve();
  let onIdle: (() => void) | undefined;
  const recorder = createRecorder({ ...options, owners, onWritten, onCircuits });

  const untilLeaseEnds = (): Date => new Date(now().getTime() + leaseMs);

  async function run(): Promise<void> {
    while (!stopping) {
      const claimed = await claim().catch((error: unknown) => {
        log.warn({ err: error }, 'deliveries could not be looked after, trying again');
        return 0;
      });
      if (claimed < largestClaim && !stopping) {
        await wakeup.sleep(pollMs);
      }
    }
  }

  async function report(): Promise<void> {
    while (!stopping) {
      const others = await reportWorker(database, owner, silenceMs).catch(() => 0);
      lanes.alone = others === 0;
      await delay(reportEveryMs, undefined, { ref: false });
    }
  }

  async function claim(): Promise<number> {
    if (slots.underWay >= mostAtOnce) {
      return 0;
    }
    const rooms = lanes.rooms();
    const claimedAt = performance.now();
    const claims = await claimDeliveries(database, {
      now: now(),
      leaseUntil: untilLeaseEnds(),
      owner: claimant,
      limit: largestClaim,
      rooms,
    });
    lanes.onClaimed(rooms, claims);
    if (claims.length > 0) {
      const receivers = await findReceiversById(database, [...new Set(claims.map((item) => item.integrationId))]);
      attend(claims, receivers, claimedAt);
    }
    return claims.length;
  }

  function attend(claims: Claim[], receivers: Receiver[], heldAt: number): void {
    const standings = new Map(receivers.map((receiver) => [receiver.integrationId, receiver]));
    const targets = openTargets(receivers);
    const items: Held[] = [];
    for (const { attemptCount, ...item } of claims) {
      const receiver = standings.get(item.integrationId);
      const target = targets.get(item.integrationId);
      const pointless = receiver && whyPointless(receiver, item.test);
      if (receiver === undefined || held.has(item.id)) {
        continue;
      }
      if (pointless !== undefined) {
        held.add(item.id);
        lanes.of(item.integrationId).held += 1;
        finish({ ...item, troubled: false, claimed: true }, pointless);
      } else if (target !== undefined) {
        const troubled = hasTrouble(receiver);
        lanes.of(item.integrationId).faults = receiver.consecutiveFailures;
        items.push({ ...item, first: attemptCount === 0, troubled, claimed: true, target, heldAt });
      }
    }
    take(items);
  }

  function openTargets(receivers: readonly Receiver[]): Map<number, Target> {
    const targets = new Map<number, Target>();
    for (const receiver of receivers) {
      try {
        if (receiver.settings !== null) {
          lanes.of(receiver.integrationId).accountId = receiver.accountId;
          targets.set(receiver.integrationId, createTarget(receiver.settings, receiver, vault, now()));
        }
      } catch (error) {
        log.error({ err: error, integration: receiver.integrationId }, 'deliveries of an integration cannot be signed');
      }
    }
    return targets;
  }

  function take(items: readonly Held[]): void {
    const touched = new Set<Lane>();
    for (const item of items) {
      const lane = lanes.of(item.integrationId);
      held.add(item.id);
      lane.held += 1;
      lane.push(item);
      touched.add(lane);
    }
    touched.forEach(pump);
  }

  function pump(lane: Lane): void {
    const oldest = performance.now() - patienceMs;
    const stale: Held[] = [];
    while (lane.queued > 0 && lane.busy < lane.limit() && slots.take(lane)) {
      const item = lane.take();
      if (item !== undefined && item.heldAt >= oldest && !stopping) {
        send(lane, item);
        continue;
      }
      slots.free(lane);
      if (item === undefined) {
        break;
      }
      stale.push(...lane.withdraw(item));
    }
    // All at once: behind a receiver that hangs there may be thousands.
    giveBack(stale);
  }

  /** One of this lane's is over: whoever has waited for longer goes first. */
  function passOn(lane: Lane): void {
    slots.free(lane);
    if (lane.queued > 0 && lane.busy < lane.limit()) {
      slots.wait(lane);
    }
    for (let next = slots.next(); next !== undefined; next = slots.next()) {
      pump(next);
    }
  }

  function send(lane: Lane, item: Held): void {
    lane.busy += 1;
    const span = beginAttempt(item);
    const webhook = { webhookId: webhookIdOf(item.id), body: item.payload, traceparent: span?.traceparent };
    sender.send(webhook, item.target, (attempt) => {
      lane.busy -= 1;
      lane.usedAt = performance.now();
      lane.finish(item);
      if (attempt !== undefined) {
        lane.faults = isFault(attempt) ? lane.faults + 1 : 0;
        const outcome = judge(attempt, item, now());
        metrics.count(outcome.status, attempt.latencyMs);
        span?.end(attempt, outcome);
        finish(item, outcome, attempt);
      } else {
        span?.end();
      }
      passOn(lane);
      if (slots.underWay === 0) {
        onIdle?.();
      }
    });
  }

  function finish(
    {
      id,
      integrationId,
      test,
      troubled,
      claimed,
    }: Pick<Held, 'id' | 'integrationId' | 'test' | 'troubled' | 'claimed'>,
    outcome: Outcome,
    attempt?: Attempt,
  ): void {
    recorder.record({ deliveryId: id, integrationId, test, troubled, claimed, outcome, attempt });
  }

  function letGo(id: string, integrationId: number): void {
    held.delete(id);
    lanes.of(integrationId).held -= 1;
  }

  function onWritten(results: RecordedResult[]): void {
    results.forEach(({ deliveryId, integrationId }) => letGo(deliveryId, integrationId));
    // Room for more, and perhaps the next event of a call whose events wait in the table.
    if (lanes.wantMore(results)) {
      wakeup.poke();
    }
  }

  function onCircuits(circuits: StoredCircuit[], disabled: number[]): void {
    const at = now();
    for (const { id, pausedUntil, consecutiveFailures } of circuits) {
      const lane = lanes.of(id);
      lane.faults = Math.max(lane.faults, consecutiveFailures);
      if (pausedUntil !== null && pausedUntil > at) {
        giveBack(lane.withdrawAll());
      }
    }
    for (const id of disabled) {
      lanes
        .of(id)
        .withdrawAll()
        .forEach((item) => letGo(item.id, id));
    }
    if (disabled.length > 0) {
      aside(
        giveUpForDisabled(database, at, () => stopping),
        'deliveries could not be given up; housekeeping will',
      );
    }
  }

  function giveBack(items: Held[]): void {
    if (items.length === 0) {
      return;
    }
    const ids = items.map(({ id }) => id);
    for (const { id, integrationId } of items) {
      lanes.of(integrationId).overflowing = true;
      // Before the table is told: whoever claims it afterwards, be it this process, holds it anew.
      letGo(id, integrationId);
    }
    aside(giveBackDeliveries(database, ids, owners, now()), 'deliveries could not be given back; their lease will end');
  }

  /** Nobody waits for it but the end of this engine. */
  function aside(work: Promise<void>, complaint: string): void {
    const done = work.catch((error: unknown) => log.warn({ err: error }, complaint));
    besides.add(done);
    void done.then(() => besides.delete(done));
  }

  return {
    start() {
      void report();
      running = run();
    },
    poke: () => wakeup.poke(),
    room: () => lanes.room(),
    offer: (receivers) => ({
      owner,
      leaseUntil: untilLeaseEnds(),
      integrationIds: stopping ? new Set() : lanes.willing(receivers),
    }),
    accept(deliveries, receivers) {
      const targets = openTargets(receivers);
      const heldAt = performance.now();
      take(
        deliveries.flatMap(({ id, integrationId, callId, eventType, payload, traceparent }) => {
          const target = targets.get(integrationId);
          const rest = { test: false, failures: 0, first: true, troubled: false, claimed: false, heldAt };
          return target === undefined
            ? []
            : [{ id, integrationId, callId, eventType, payload, traceparent, target, ...rest }];
        }),
      );
    },
    leave(deliveries, receivers) {
      const left = new Set(deliveries.map(({ integrationId }) => integrationId));
      const at = now();
      // What pours in for a receiver that is dead or has enough would otherwise have the table searched over and over.
      if (receivers.some((receiver) => left.has(receiver.integrationId) && lanes.hasRoom(receiver, at))) {
        wakeup.poke();
      }
    },
    async stop() {
      stopping = true;
      wakeup.poke();
      lanes.all().forEach((lane) => giveBack(lane.withdrawAll()));
      await running;
      await Promise.all(besides);
      const late = setTimeout(() => {
        recorder.giveUp();
        void sender.close();
      }, stopGraceMs);
      if (slots.underWay > 0) {
        await new Promise<void>((resolve) => (onIdle = resolve));
      }
      await recorder.idle();
      clearTimeout(late);
      await sender.close();
      await removeWorker(database, owner).catch(() => undefined);
    },
  };
}

function whyPointless({ settings, disabledReason }: Receiver, test: boolean): Outcome | undefined {
  if (settings === null) {
    return { status: 'dead', reason: 'The integration has no webhook any more.', gone: false };
  }
  return disabledReason !== null && !test
    ? { status: 'dead', reason: `The webhook was disabled: ${disabledReason}`, gone: false }
    : undefined;
}
