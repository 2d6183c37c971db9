import type { Database } from '@sabia/service-kit/postgres/database';
import type { TakenCall } from '../placing/taking';
import type { LeaseTerm } from '../storage/lease-fence';
import { returnUnplaced } from '../storage/live-calls';
import { lineUpUntold } from '../storage/waiting-calls';

/** The calls that this replica has taken for its switches and told none of them to place, until somebody can find them. */
export interface LeftCalls {
  /** `by`: the term for which they were taken. `until`: they may still be committed so long; not given: they are. */
  note(by: LeaseTerm, calls: TakenCall[], until?: Date): void;
  /** These calls are compared with their switch. */
  forget(calls: Pick<TakenCall, 'id'>[]): void;
  /**
   * Resolves when those that are committed, and not over, can be found: by the driver of the switch, or in line if the term is over. A call
   * that began on the switch cannot be in line. Not given: of all terms.
   */
  giveBack(by?: LeaseTerm): Promise<void>;
}

interface Left {
  placedAt: Date;
  by: LeaseTerm;
  until?: Date;
}

export interface LeftCallsOptions {
  database: Database;
  /** There are calls in line. */
  onLinedUp: () => void;
  now: () => Date;
}

export function createLeftCalls({ database, onLinedUp, now }: LeftCallsOptions): LeftCalls {
  const left = new Map<string, Left>();

  async function giveBackOf(by: LeaseTerm): Promise<void> {
    const calls = [...left].filter(([, call]) => call.by === by).map(([id, { placedAt }]) => ({ id, placedAt }));
    const returned = new Set(await returnUnplaced(database, { calls, by }));
    const others = calls.filter(({ id }) => !returned.has(id));
    const linedUp = others.length === 0 ? [] : await lineUpUntold(database, { calls: others, by, at: now() });
    if (linedUp.length > 0) onLinedUp();
    const found = new Set([...returned, ...linedUp]);
    for (const { id, placedAt } of calls) {
      const known = left.get(id);
      // It may have been taken, and left, once more since.
      if (known?.placedAt !== placedAt) continue;
      if (known.until === undefined || known.until < now() || found.has(id)) left.delete(id);
    }
  }

  return {
    note(by, calls, until) {
      for (const { id, placedAt } of calls) left.set(id, { placedAt: placedAt!, by, until });
    },
    forget: (calls) => calls.forEach(({ id }) => left.delete(id)),
    async giveBack(by) {
      const terms = new Set([...left.values()].map((call) => call.by));
      for (const term of terms) if (by === undefined || term === by) await giveBackOf(term);
    },
  };
}
