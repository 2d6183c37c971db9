import { isFault, judge } from '../domain/outcome';
import type { BeginAttempt } from './attempt-spans';
import type { Held, Lane } from './lane';
import type { DeliveryMetrics } from './metrics';
import type { ReceiverLanes } from './receiver-lanes';
import type { Recorder } from './recorder';
import type { Sender } from './sender';
import { createSlots } from './slots';
import { webhookIdOf } from './webhook-id';

export interface Dispatcher {
  /** Requests under way are as many as they may be, of all accounts together. */
  readonly isFull: boolean;
  /** Queues deliveries in their lanes and sends as many as lanes and slots allow. */
  take(items: readonly Held[]): void;
  /** From now on nothing more is sent; a delivery whose turn comes is given back. */
  close(): void;
  /** Resolves when no request is under way. */
  idle(): Promise<void>;
}

export interface DispatcherOptions {
  lanes: ReceiverLanes;
  sender: Sender;
  recorder: Pick<Recorder, 'record'>;
  giveBack: (items: Held[]) => void;
  metrics: DeliveryMetrics;
  beginAttempt: BeginAttempt;
  /** A delivery that has waited in its lane for longer is given back instead of sent. */
  patienceMs: number;
  now: () => Date;
}

const mostAtOnce = 8_192;
/** However many receivers the account has, and however slow they are. */
const mostOfAccount = mostAtOnce / 4;

/** Sends the deliveries in the lanes: as many at once as each lane allows, accounts and lanes taking turns at the slots. */
export function createDispatcher(options: DispatcherOptions): Dispatcher {
  const { lanes, sender, recorder, giveBack, metrics, beginAttempt, patienceMs, now } = options;
  const slots = createSlots<Lane>(mostAtOnce, mostOfAccount);
  let closed = false;
  let onIdle: (() => void) | undefined;

  /** Sends the next deliveries of a lane, up to its limit and as long as there are slots. */
  function pump(lane: Lane): void {
    const oldest = performance.now() - patienceMs;
    const stale: Held[] = [];
    while (lane.queued > 0 && lane.busy < lane.limit && slots.take(lane)) {
      const item = lane.take();
      if (item !== undefined && item.heldAt >= oldest && !closed) {
        send(lane, item);
        continue;
      }
      slots.free(lane);
      if (item === undefined) {
        break;
      }
      stale.push(...lane.withdraw(item));
    }
    // In one statement: behind a receiver that hangs there may be thousands.
    giveBack(stale);
  }

  /** Gives the slot of a finished request to the lane that has waited longest. */
  function passOn(lane: Lane): void {
    slots.free(lane);
    if (lane.queued > 0 && lane.busy < lane.limit) {
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
        recorder.record(item, item.target.accountId, outcome, attempt);
      } else {
        span?.end();
      }
      passOn(lane);
      if (slots.underWay === 0) {
        onIdle?.();
      }
    });
  }

  return {
    get isFull() {
      return slots.underWay >= mostAtOnce;
    },
    take(items) {
      const touched = new Set<Lane>();
      for (const item of items) {
        const lane = lanes.hold(item);
        lane.accountId = item.target.accountId;
        lane.push(item);
        touched.add(lane);
      }
      touched.forEach(pump);
    },
    close() {
      closed = true;
    },
    async idle() {
      if (slots.underWay > 0) {
        await new Promise<void>((resolve) => (onIdle = resolve));
      }
    },
  };
}
