import { isSwitchedOff } from '../plain-paths';
import { currentScope, leaveScope, runInScope } from '../request-scope';
import type { RequestScope } from '../request-scope';
import { atMost } from './at-most';

export interface Batcher<Job, Result> {
  /** Settles when the job has been written. A job whose request ends while it waits is not written. */
  add(job: Job): Promise<Result>;
}

export interface BatcherOptions<Job, Result> {
  batchSize: number;
  /** Writes a batch and answers a result for each job, in their order. */
  write: (jobs: Job[]) => Promise<Result[]>;
  /** Only jobs of one key are written together, and no key waits for another. Without it all jobs have the same key. */
  keyOf?: (job: Job) => unknown;
  /** For jobs that take turns with other work of their key: begins a batch when its turn has come. */
  inTurn?: (job: Job, writeBatch: () => Promise<void>) => Promise<void>;
  /** A batch that takes longer, as on a connection that has gone silent, no longer holds up the next one. */
  patienceMs?: number;
}

interface WaitingJob<Job, Result> {
  job: Job;
  scope: RequestScope | undefined;
  resolve: (result: Result) => void;
  reject: (reason: unknown) => void;
}

/**
 * Batches concurrent writes, or reads: jobs that arrive while a batch is being written form the next one. A job that finds nothing being
 * written waits for those that come with it, which is not longer than one turn of the event loop. When a batch fails, each of its
 * jobs is written alone, so that only a job that is itself at fault fails.
 * PLAIN_PATHS=batching writes every job alone and immediately.
 */
export function createBatcher<Job, Result>(options: BatcherOptions<Job, Result>): Batcher<Job, Result> {
  const {
    batchSize,
    write,
    keyOf = () => undefined,
    inTurn = (_job, writeBatch) => writeBatch(),
    patienceMs,
  } = options;
  const alone = isSwitchedOff('batching');
  /** The jobs that wait, by key; a key has an entry while its jobs are being written. */
  const queues = new Map<unknown, WaitingJob<Job, Result>[]>();

  async function drain(key: unknown, queue: WaitingJob<Job, Result>[]): Promise<void> {
    // Answers of another service arrive together and make jobs together: without this the first would be written alone.
    await new Promise((resolve) => setImmediate(resolve));
    for (let [next] = queue; next !== undefined; [next] = queue) {
      const writing = inTurn(next.job, () => writeBatch(queue.splice(0, batchSize)));
      await (patienceMs === undefined ? writing : atMost(patienceMs, writing));
    }
    queues.delete(key);
  }

  /** Never rejects: each job hears of its own outcome. */
  async function writeBatch(batch: WaitingJob<Job, Result>[]): Promise<void> {
    const present = batch.filter(({ scope, reject }) => {
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

  async function writeAlone({ job, scope, resolve, reject }: WaitingJob<Job, Result>): Promise<void> {
    try {
      const work = () => write([job]);
      const [result] = await (scope === undefined ? leaveScope(work) : runInScope(scope, work));
      resolve(result!);
    } catch (error) {
      reject(error);
    }
  }

  async function writeTogether(batch: WaitingJob<Job, Result>[]): Promise<void> {
    let results: Result[];
    try {
      // Outside of every request: the deadline or the cancellation of one must not end the writes of the others.
      results = await leaveScope(() => write(batch.map(({ job }) => job)));
    } catch {
      for (const waiting of batch) {
        await writeAlone(waiting);
      }
      return;
    }
    batch.forEach(({ resolve }, index) => resolve(results[index]!));
  }

  return {
    add: (job) =>
      new Promise((resolve, reject) => {
        const waiting = { job, scope: currentScope(), resolve, reject };
        if (alone) {
          void inTurn(job, () => writeBatch([waiting]));
          return;
        }
        const key = keyOf(job);
        const queue = queues.get(key);
        if (queue !== undefined) {
          queue.push(waiting);
          return;
        }
        const begun = [waiting];
        queues.set(key, begun);
        void drain(key, begun);
      }),
  };
}
