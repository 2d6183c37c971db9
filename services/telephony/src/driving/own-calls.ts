import { leaveScope } from '@sabia/service-kit/request-scope';
import type { LiveCall } from '../domain/live-call';
import type { TakenCall, Taking } from '../placing/taking';
import type { LeaseTerm } from '../storage/lease-fence';
import type { LeftCalls } from './left-calls';

/** The calls that this replica itself writes for the switch that it drives (see openTaking), and those that it could not place on it. */
export interface OwnCalls {
  /** Undefined: the switch cannot be given calls at this moment. */
  take(): Taking | undefined;
  /** Leaves calls that are not on the switch to whoever looks for calls to place. */
  leave(calls: TakenCall[]): Promise<void>;
  /** Resolves when no call is being written. */
  idle(): Promise<void>;
}

export interface OwnCallsOptions {
  left: LeftCalls;
  term: LeaseTerm;
  /** The calls on the switch are known, and no other replica can be driving. */
  isDriving: () => boolean;
  /** Outlives the request for the call. */
  place: (call: LiveCall) => void;
  now: () => Date;
}

/** A statement whose end was not heard of may still commit: it is not waited for any longer. */
const LATE_MS = 60_000;

export function createOwnCalls({ left, term, isDriving, place, now }: OwnCallsOptions): OwnCalls {
  let writes = 0;
  let whenIdle: (() => void)[] = [];

  function end(): void {
    writes -= 1;
    if (writes > 0) return;
    whenIdle.forEach((resume) => resume());
    whenIdle = [];
  }

  return {
    take() {
      if (!isDriving()) return undefined;
      writes += 1;
      return {
        term,
        written(calls) {
          try {
            const isMine = isDriving();
            if (isMine) leaveScope(() => calls.forEach(place));
            else left.note(term, calls);
            return isMine;
          } finally {
            end();
          }
        },
        unknown(calls) {
          left.note(term, calls, new Date(now().getTime() + LATE_MS));
          end();
        },
      };
    },
    leave(calls) {
      left.note(term, calls);
      return left.giveBack(term);
    },
    async idle() {
      if (writes > 0) await new Promise<void>((resolve) => whenIdle.push(resolve));
    },
  };
}
