import { currentScope, leaveScope, runInScope } from '@sabia/service-kit/request-scope';
import type { RequestScope } from '@sabia/service-kit/request-scope';

export interface Coalescer<Job, Result> {
  add(job: Job): Promise<Result>;
}

interface Entry<Job, Result> {
  job: Job;
  scope: RequestScope | undefined;
  resolve: (result: Result) => void;
  reject: (reason: unknown) => void;
}

/** What arrives while something is being written is written together next. Who comes alone is written at once. */
export function createCoalescer<Job, Result>({
  batchSize,
  write,
}: {
  batchSize: number;
  /** Answers a result for each job, in their order. */
  write: (jobs: Job[]) => Promise<Result[]>;
}): Coalescer<Job, Result> {
  const waiting: Entry<Job, Result>[] = [];
  let writing = false;

  async function writeAlone(entry: Entry<Job, Result>): Promise<void> {
    try {
      const work = () => write([entry.job]);
      const [result] = await (entry.scope === undefined ? leaveScope(work) : runInScope(entry.scope, work));
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

  async function drain(): Promise<void> {
    writing = true;
    while (waiting.length > 0) {
      const entries = waiting.splice(0, batchSize).filter(({ scope, reject }) => {
        if (scope?.signal.aborted) {
          reject(scope.signal.reason);
          return false;
        }
        return true;
      });
      const [first] = entries;
      if (first !== undefined) {
        await (entries.length === 1 ? writeAlone(first) : writeTogether(entries));
      }
    }
    writing = false;
  }

  return {
    add(job) {
      return new Promise((resolve, reject) => {
        waiting.push({ job, scope: currentScope(), resolve, reject });
        if (!writing) {
          void drain();
        }
      });
    },
  };
}
