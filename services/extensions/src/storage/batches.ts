import { currentScope, leaveScope, runInScope } from '@sabia/service-kit/request-scope';
import type { RequestScope } from '@sabia/service-kit/request-scope';
import type { Turns } from './turns';

export interface Batches<Job, Result> {
  add(accountId: number, job: Job): Promise<Result>;
}

interface Entry<Job, Result> {
  job: Job;
  scope: RequestScope | undefined;
  resolve: (result: Result) => void;
  reject: (reason: unknown) => void;
}

/** What comes while an account waits for its turn is written together. Who comes alone is written at once. */
export function createBatches<Job, Result>({
  turns,
  batchSize,
  write,
}: {
  turns: Turns;
  batchSize: number;
  /** Answers a result for each job, in their order. */
  write: (jobs: Job[]) => Promise<Result[]>;
}): Batches<Job, Result> {
  const waiting = new Map<number, Entry<Job, Result>[]>();

  async function writeAlone(entry: Entry<Job, Result>): Promise<void> {
    try {
      const work = () => write([entry.job]);
      const [result] = await (entry.scope === undefined ? work() : runInScope(entry.scope, work));
      entry.resolve(result!);
    } catch (error) {
      entry.reject(error);
    }
  }

  async function writeTogether(entries: Entry<Job, Result>[]): Promise<void> {
    let results: Result[];
    try {
      // Nobody's deadline and nobody's cancellation: it is everybody's work.
      results = await leaveScope(() => write(entries.map(({ job }) => job)));
    } catch {
      // One of them may be to blame; the others shall not suffer, and each hears of its own failure.
      for (const entry of entries) {
        await writeAlone(entry);
      }
      return;
    }
    entries.forEach((entry, index) => entry.resolve(results[index]!));
  }

  async function takeTurn(accountId: number): Promise<void> {
    const line = waiting.get(accountId) ?? [];
    const entries = line.splice(0, batchSize);
    if (line.length > 0) {
      void turns.take(accountId, () => takeTurn(accountId));
    } else {
      waiting.delete(accountId);
    }
    const present = entries.filter(({ scope, reject }) => {
      if (scope?.signal.aborted) {
        reject(scope.signal.reason);
        return false;
      }
      return true;
    });
    const [first] = present;
    if (first !== undefined) {
      await (present.length === 1 ? writeAlone(first) : writeTogether(present));
    }
  }

  return {
    add(accountId, job) {
      return new Promise((resolve, reject) => {
        const entry = { job, scope: currentScope(), resolve, reject };
        const line = waiting.get(accountId);
        if (line === undefined) {
          waiting.set(accountId, [entry]);
          void turns.take(accountId, () => takeTurn(accountId));
        } else {
          line.push(entry);
        }
      });
    },
  };
}
