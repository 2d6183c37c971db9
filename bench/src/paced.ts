import { percentile } from './load';
import type { Job, Sample } from './load';

const TICK_MS = 5;

/** Open loop: jobs begin at a steady rate whether or not earlier ones have ended, and the wait for a late start counts. */
export async function pace(job: Job, perSecond: number, durationMs: number): Promise<Sample> {
  const latencies: number[] = [];
  const errors: string[] = [];
  const running = new Set<Promise<void>>();
  const startedAt = performance.now();
  const total = Math.floor((perSecond * durationMs) / 1000);
  for (let begun = 0; begun < total;) {
    const due = Math.min(total, Math.ceil(((performance.now() - startedAt) * perSecond) / 1000));
    for (; begun < due; begun += 1) {
      const dueAt = startedAt + (begun * 1000) / perSecond;
      const done = job().then(
        () => void latencies.push(performance.now() - dueAt),
        (error: unknown) => void errors.push(error instanceof Error ? error.message : String(error)),
      );
      running.add(done);
      void done.finally(() => running.delete(done));
    }
    await new Promise((resolve) => setTimeout(resolve, TICK_MS));
  }
  await Promise.all(running);
  latencies.sort((a, b) => a - b);
  return {
    count: latencies.length,
    perSecond: latencies.length / ((performance.now() - startedAt) / 1000),
    p50: percentile(latencies, 0.5),
    p99: percentile(latencies, 0.99),
    errors,
  };
}
