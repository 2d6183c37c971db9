import { waitToBeWritten, writeBatch } from './batch-write';
import type { WaitingJob, WriteJobs } from './batch-write';

export interface Coalescer<Job, Result> {
  add(job: Job): Promise<Result>;
}

export interface CoalescerOptions<Job, Result> {
  batchSize: number;
  write: WriteJobs<Job, Result>;
  /** Only jobs of one lane are written together, and no lane waits for another. All share one, unless said otherwise. */
  laneOf?: (job: Job) => unknown;
}

/** What arrives while something is being written is written together next. Who comes alone is written at once. */
export function createCoalescer<Job, Result>({
  batchSize,
  write,
  laneOf = () => undefined,
}: CoalescerOptions<Job, Result>): Coalescer<Job, Result> {
  /** There is a line for as long as somebody writes what comes into it. */
  const lines = new Map<unknown, WaitingJob<Job, Result>[]>();

  async function drain(lane: unknown, line: WaitingJob<Job, Result>[]): Promise<void> {
    while (line.length > 0) {
      await writeBatch(line.splice(0, batchSize), write);
    }
    lines.delete(lane);
  }

  return {
    add: (job) =>
      waitToBeWritten(job, (waiting) => {
        const lane = laneOf(job);
        const line = lines.get(lane);
        if (line !== undefined) {
          line.push(waiting);
          return;
        }
        const begun = [waiting];
        lines.set(lane, begun);
        void drain(lane, begun);
      }),
  };
}
