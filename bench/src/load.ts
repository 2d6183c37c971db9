/** One way of doing one unit of work; throws when the work did not succeed. */
export type Job = () => Promise<void>;

export interface Sample {
  /** Jobs that succeeded. */
  count: number;
  perSecond: number;
  p50: number;
  p99: number;
  errors: string[];
}

/** Closed loop: `concurrency` workers, each starting its next job when the last one has ended. */
export async function drive(job: Job, concurrency: number, durationMs: number): Promise<Sample> {
  const latencies: number[] = [];
  const errors: string[] = [];
  const startedAt = performance.now();
  const endsAt = startedAt + durationMs;

  async function worker(): Promise<void> {
    while (performance.now() < endsAt) {
      const begun = performance.now();
      try {
        await job();
        latencies.push(performance.now() - begun);
      } catch (error) {
        errors.push(error instanceof Error ? error.message : String(error));
        if (errors.length >= 20) return;
      }
    }
  }

  await Promise.all(Array.from({ length: concurrency }, worker));
  const elapsedSeconds = (performance.now() - startedAt) / 1000;
  latencies.sort((a, b) => a - b);
  return {
    count: latencies.length,
    perSecond: latencies.length / elapsedSeconds,
    p50: percentile(latencies, 0.5),
    p99: percentile(latencies, 0.99),
    errors,
  };
}

/** Work that measures itself may be done sooner than that, and is repeated, unless there is none: then nothing gets warm. */
export async function warmUp(
  turn: (durationMs: number) => Promise<Pick<Sample, 'count'>>,
  forMs: number,
): Promise<void> {
  const until = performance.now() + forMs;
  for (let leftMs = forMs; leftMs > 0; leftMs = until - performance.now()) {
    const { count } = await turn(leftMs);
    if (count === 0) return;
  }
}

export function percentile(sorted: readonly number[], fraction: number): number {
  if (sorted.length === 0) return Number.NaN;
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * fraction))]!;
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}
