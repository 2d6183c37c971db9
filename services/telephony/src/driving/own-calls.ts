import type { Database } from '@sabia/service-kit/postgres/database';
import { leaveScope } from '@sabia/service-kit/request-scope';
import type { LiveCall } from '../domain/live-call';
import type { TakenCall, Taking } from '../placing/taking';
import type { LeaseTerm } from '../storage/lease-fence';
import { returnUnplaced } from '../storage/live-calls';

/** The calls that this replica itself writes for the switch that it drives (see writeTaken), and those that it could not place on it. */
export interface OwnCalls {
  /** Undefined: the switch cannot be given calls at this moment. */
  take(): Taking | undefined;
  /** Leaves calls that are not on the switch to whoever looks for calls to place; `returnLeft` tries again if it fails. */
  leave(calls: TakenCall[]): Promise<void>;
  /** Resolves when all calls that were left can be found. */
  returnLeft(): Promise<void>;
  /** These calls are compared with the switch. */
  forget(calls: TakenCall[]): void;
  /** Resolves when no call is being written. */
  idle(): Promise<void>;
}

export interface OwnCallsOptions {
  database: Database;
  term: LeaseTerm;
  /** The calls on the switch are known, and no other replica can be driving. */
  isDriving: () => boolean;
  /** Outlives the request for the call. */
  place: (call: LiveCall) => void;
  now: () => Date;
}

/** A statement whose end was not heard of may still commit: it is not waited for any longer. */
const LATE_MS = 60_000;

interface Left {
  placedAt: Date;
  /** Not given: the call is committed. */
  until?: Date;
}

export function createOwnCalls({ database, term, isDriving, place, now }: OwnCallsOptions): OwnCalls {
  let writes = 0;
  let whenIdle: (() => void)[] = [];
  const left = new Map<string, Left>();

  function end(): void {
    writes -= 1;
    if (writes > 0) return;
    whenIdle.forEach((resume) => resume());
    whenIdle = [];
  }

  function note(calls: TakenCall[], until?: Date): void {
    for (const { id, placedAt } of calls) left.set(id, { placedAt: placedAt!, until });
  }

  async function returnLeft(): Promise<void> {
    if (left.size === 0) return;
    const calls = [...left].map(([id, { placedAt }]) => ({ id, placedAt }));
    const returned = new Set(await returnUnplaced(database, { calls, by: term }));
    for (const { id, placedAt } of calls) {
      const known = left.get(id);
      // It may have been taken, and left, once more since.
      if (known?.placedAt !== placedAt) continue;
      if (known.until === undefined || known.until < now() || returned.has(id)) left.delete(id);
    }
  }

  return {
    take() {
      if (!isDriving()) return undefined;
      writes += 1;
      return {
        term,
        written(calls) {
          end();
          const isMine = isDriving();
          if (isMine) leaveScope(() => calls.forEach(place));
          else note(calls);
          return isMine;
        },
        unknown(calls) {
          note(calls, new Date(now().getTime() + LATE_MS));
          end();
        },
      };
    },
    leave(calls) {
      note(calls);
      return returnLeft();
    },
    returnLeft,
    forget: (calls) => calls.forEach(({ id }) => left.delete(id)),
    async idle() {
      if (writes > 0) await new Promise<void>((resolve) => whenIdle.push(resolve));
    },
  };
}
