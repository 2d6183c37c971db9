import { healthOf, receiverLimits } from '../domain/circuit';
import type { Health } from '../domain/circuit';
import type { Target } from './target';

/** A delivery that belongs to this process until its result is written or it is given back. */
export interface Held {
  id: string;
  integrationId: number;
  callId: string | null;
  eventType: string;
  payload: string;
  /** Null when the trace of the event is not sampled. */
  traceparent: string | null;
  test: boolean;
  failures: number;
  /** Never attempted: it keeps its place behind the earlier events of its call. */
  first: boolean;
  /** The receiver was in trouble, so that a success must be noted in its circuit. */
  troubled: boolean;
  /** Taken out of the table, where there may be more. */
  claimed: boolean;
  target: Target;
  heldAt: number;
}

/**
 * Where new events of a receiver go: `direct`, leased to the process that inserts them and queued in its lane; or `table`, without a
 * lease, until a claim brings less than there was room for. The table of transitions is in the README.
 */
export type Intake = 'direct' | 'table';

/** The deliveries that this process holds for one receiver: queued ones, those being sent, and those whose result is being written. */
export interface Lane {
  /** The account of the receiver, which shares the slots of all its lanes. */
  accountId: number;
  /** Deliveries not yet sent. */
  readonly queued: number;
  /** Requests under way. */
  busy: number;
  /** Deliveries whose result is not yet written. */
  held: number;
  /** Faults in a row, as far as this process knows. */
  faults: number;
  readonly health: Health;
  /** How many requests may be under way at this health. */
  readonly limit: number;
  intake: Intake;
  usedAt: number;
  push(item: Held): void;
  /** Takes out the next delivery that may be sent. */
  take(): Held | undefined;
  /** The attempt at the delivery is over: the next event of its call may follow. */
  finish(item: Held): void;
  /** Takes out a delivery that was taken and not sent, with the events that wait behind it. */
  withdraw(item: Held): Held[];
  /** Takes out all deliveries that are not being sent. */
  withdrawAll(): Held[];
  /** Deliveries per second of late. */
  pace(): number;
}

const windowMs = 250;

export function createLane(): Lane {
  let ready: Held[] = [];
  let next = 0;
  // The events that wait behind the first attempt of an earlier one, by call; a call has an entry until that attempt is over.
  const calls = new Map<string, Held[]>();
  let behind = 0;
  let windowStart = performance.now();
  let finished = 0;
  let pace = 0;

  /** The call in whose order the delivery stands; a retry stands in none. */
  const orderedCall = ({ first, callId }: Held): string | undefined => (first && callId !== null ? callId : undefined);

  function measure(): void {
    const now = performance.now();
    const elapsed = now - windowStart;
    if (elapsed >= windowMs) {
      pace = (finished * 1000) / elapsed;
      finished = 0;
      windowStart = now;
    }
  }

  function empty(call: string): Held[] {
    const waiting = calls.get(call)?.splice(0) ?? [];
    behind -= waiting.length;
    return waiting;
  }

  return {
    accountId: 0,
    busy: 0,
    held: 0,
    faults: 0,
    intake: 'direct',
    usedAt: performance.now(),
    get queued() {
      return ready.length - next + behind;
    },
    get health() {
      return healthOf(this.faults);
    },
    get limit() {
      return receiverLimits[this.health];
    },
    push(item) {
      const call = orderedCall(item);
      const waiting = call === undefined ? undefined : calls.get(call);
      if (waiting !== undefined) {
        waiting.push(item);
        behind += 1;
        return;
      }
      if (call !== undefined) {
        calls.set(call, []);
      }
      ready.push(item);
    },
    take() {
      const item = ready[next];
      if (item === undefined) {
        ready = [];
        next = 0;
        return undefined;
      }
      next += 1;
      if (next >= 1024) {
        ready = ready.slice(next);
        next = 0;
      }
      return item;
    },
    finish(item) {
      finished += 1;
      measure();
      const call = orderedCall(item);
      if (call === undefined) {
        return;
      }
      const follower = calls.get(call)?.shift();
      if (follower === undefined) {
        calls.delete(call);
      } else {
        behind -= 1;
        ready.push(follower);
      }
    },
    withdraw(item) {
      const call = orderedCall(item);
      if (call === undefined) {
        return [item];
      }
      const waiting = empty(call);
      calls.delete(call);
      return [item, ...waiting];
    },
    withdrawAll() {
      const items = ready.slice(next);
      ready = [];
      next = 0;
      for (const item of [...items]) {
        const call = orderedCall(item);
        if (call !== undefined) {
          items.push(...empty(call));
          calls.delete(call);
        }
      }
      // The events behind one that is being sent.
      for (const call of calls.keys()) {
        items.push(...empty(call));
      }
      return items;
    },
    pace() {
      measure();
      return pace;
    },
  };
}
