import { waitToBeWritten, writeBatch } from '@sabia/service-kit/batch-write';
import type { WaitingJob, WriteJobs } from '@sabia/service-kit/batch-write';

export interface Coalescer<Job, Result> {
  add(job: Job): Promise<Result>;
}

/** What arrives while something is being written is written together next. Who comes alone is written at once. */
export function createCoalescer<Job, Result>({
  batchSize,
  write,
}: {
  batchSize: number;
  write: WriteJobs<Job, Result>;
}): Coalescer<Job, Result> {
  const line: WaitingJob<Job, Result>[] = [];
  let writing = false;

  async function drain(): Promise<void> {
    writing = true;
    while (line.length > 0) {
      await writeBatch(line.splice(0, batchSize), write);
    }
    writing = false;
  }

  return {
    add: (job) =>
      waitToBeWritten(job, (waiting) => {
        line.push(waiting);
        if (!writing) {
          void drain();
        }
      }),
  };
}
