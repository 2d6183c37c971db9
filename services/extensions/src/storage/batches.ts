import { waitToBeWritten, writeBatch } from '@sabia/service-kit/work/batch-write';
import type { WaitingJob, WriteJobs } from '@sabia/service-kit/work/batch-write';
import type { Turns } from './turns';

export interface Batches<Job, Result> {
  add(accountId: number, job: Job): Promise<Result>;
}

/** What comes while an account waits for its turn is written together. Who comes alone is written at once. */
export function createBatches<Job, Result>({
  turns,
  batchSize,
  write,
}: {
  turns: Turns;
  batchSize: number;
  write: WriteJobs<Job, Result>;
}): Batches<Job, Result> {
  const lines = new Map<number, WaitingJob<Job, Result>[]>();

  async function takeTurn(accountId: number): Promise<void> {
    const line = lines.get(accountId) ?? [];
    const batch = line.splice(0, batchSize);
    if (line.length > 0) {
      void turns.take(accountId, () => takeTurn(accountId));
    } else {
      lines.delete(accountId);
    }
    await writeBatch(batch, write);
  }

  return {
    add: (accountId, job) =>
      waitToBeWritten(job, (waiting) => {
        const line = lines.get(accountId);
        if (line === undefined) {
          lines.set(accountId, [waiting]);
          void turns.take(accountId, () => takeTurn(accountId));
        } else {
          line.push(waiting);
        }
      }),
  };
}
