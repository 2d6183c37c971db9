import { receiverLimits } from '../domain/circuit';
import type { Target } from './target';

/** A delivery that belongs to this process until its result is written or it is given back. */
export interface Held {
  id: string;
  integrationId: number;
  callId: string | null;
  eventType: string;
  payload: string;
  /** Null when nobody keeps the trace of the event. */
  traceparent: string | null;
  test: boolean;
  failures: number;
  /** Never attempted: it keeps its place behind the earlier events of its call. */
  first: boolean;
  /** The receiver was in trouble, so that a success is news. */
  troubled: boolean;
  /** Taken out of the table; there may be more. */
  claimed: boolean;
  target: Target;
  heldAt: number;
}

/** What this process holds for one receiver. */
export interface Lane {
  /** Whose receiver it is. */
  accountId: number;
  /** Not yet sent. */
  readonly queued: number;
  /** Being sent. */
  busy: number;
  /** Everything whose result is not yet written. */
  held: number;
  /** Faults in a row, as far as this process has seen. */
  faults: number;
  /** There is more in the table than was taken from it, so that new events queue up there. */
  overflowing: boolean;
  usedAt: number;
  push(item: Held): void;
  /** The next one that may be sent. */
  take(): Held | undefined;
  /** Its attempt is over: the next event of its call may follow. */
  finish(item: Held): void;
  /** Takes out an item that was taken and not sent, and what waits behind it. */
  withdraw(item: Held): Held[];
  /** Takes out all that is not being sent. */
  withdrawAll(): Held[];
  /** Deliveries a second of late. */
  pace(): number;
  limit(): number;
}

const windowMs = 250;

export function createLane(): Lane {
  let ready: Held[] = [];
  let next = 0;
  // What waits behind the first attempt of its call; there is an entry while that attempt is not over.
  const calls = new Map<string, Held[]>();
  let behind = 0;
  let windowStart = performance.now();
  let finished = 0;
  let pace = 0;

  const place = ({ first, callId }: Held): string | undefined => (first && callId !== null ? callId : undefined);

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
    overflowing: false,
    usedAt: performance.now(),
    get queued() {
      return ready.length - next + behind;
    },
    push(item) {
      const call = place(item);
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
      const call = place(item);
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
      const call = place(item);
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
        const call = place(item);
        if (call !== undefined) {
          items.push(...empty(call));
          calls.delete(call);
        }
      }
      // Those behind one that is being sent.
      for (const call of calls.keys()) {
        items.push(...empty(call));
      }
      return items;
    },
    pace() {
      measure();
      return pace;
    },
    limit() {
      if (this.faults === 0) {
        return receiverLimits.healthy;
      }
      return this.faults < receiverLimits.faultsThatOpen ? receiverLimits.shaky : receiverLimits.open;
    },
  };
}
