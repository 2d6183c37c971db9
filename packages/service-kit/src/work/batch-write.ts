import { currentScope, leaveScope, runInScope } from '../request-scope';
import type { RequestScope } from '../request-scope';

/** A job of somebody's request that waits to be written together with others. */
export interface WaitingJob<Job, Result> {
  job: Job;
  scope: RequestScope | undefined;
  resolve: (result: Result) => void;
  reject: (reason: unknown) => void;
}

/** Answers a result for each job, in their order. */
export type WriteJobs<Job, Result> = (jobs: Job[]) => Promise<Result[]>;

/** Queues the job of the current request; settles when it has been written. */
export function waitToBeWritten<Job, Result>(
  job: Job,
  queue: (waiting: WaitingJob<Job, Result>) => void,
): Promise<Result> {
  return new Promise((resolve, reject) => queue({ job, scope: currentScope(), resolve, reject }));
}

/** Writes those whose request still waits, all at once; never rejects. */
export async function writeBatch<Job, Result>(
  batch: WaitingJob<Job, Result>[],
  write: WriteJobs<Job, Result>,
): Promise<void> {
  const present = batch.filter(({ scope, reject }) => {
    if (scope?.signal.aborted) {
      reject(scope.signal.reason);
      return false;
    }
    return true;
  });
  const [first] = present;
  if (first !== undefined) {
    await (present.length === 1 ? writeAlone(first, write) : writeTogether(present, write));
  }
}

async function writeAlone<Job, Result>(waiting: WaitingJob<Job, Result>, write: WriteJobs<Job, Result>): Promise<void> {
  try {
    const work = () => write([waiting.job]);
    const [result] = await (waiting.scope === undefined ? leaveScope(work) : runInScope(waiting.scope, work));
    waiting.resolve(result!);
  } catch (error) {
    waiting.reject(error);
  }
}

async function writeTogether<Job, Result>(
  batch: WaitingJob<Job, Result>[],
  write: WriteJobs<Job, Result>,
): Promise<void> {
  let results: Result[];
  try {
    // Nobody's deadline and nobody's cancellation: it is everybody's work.
    results = await leaveScope(() => write(batch.map(({ job }) => job)));
  } catch {
    // One of them may be to blame; the others shall not suffer, and each hears of its own failure.
    for (const waiting of batch) {
      await writeAlone(waiting, write);
    }
    return;
  }
  batch.forEach((waiting, index) => waiting.resolve(results[index]!));
}
