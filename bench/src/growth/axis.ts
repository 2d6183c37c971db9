import { FailedRun } from '../harness';
import type { Turn } from '../harness';
import { drive, median } from '../load';
import type { Job } from '../load';
import type { BenchStack } from '../stack';

/** Something that grows over the years, and what a user does meanwhile. */
export interface Axis {
  /** A word, also the name of its plot. */
  name: string;
  title: string;
  sizes: number[];
  /** Brings a stack to the size and returns what is measured there. Called with growing sizes. */
  grow(size: number, say: (line: string) => void): Promise<Grown>;
  close(): Promise<void>;
}

export interface Grown {
  stack: BenchStack;
  jobs: GrowingJob[];
}

export interface GrowingJob {
  name: string;
  work: Job | Turn;
  close(): Promise<void>;
}

/** What one job costs at each size of the axis: milliseconds of CPU of all processes of the stack. */
export interface Curve {
  job: string;
  points: { size: number; cpuMs: number }[];
}

export interface Growth {
  axis: string;
  title: string;
  curves: Curve[];
}

const rounds = 5;
const roundMs = 2_000;
const warmUpMs = 4_000;
const concurrency = 16;

export async function measureGrowth(axis: Axis, say: (line: string) => void): Promise<Growth> {
  const curves = new Map<string, Curve>();
  try {
    for (const size of axis.sizes) {
      const { stack, jobs } = await axis.grow(size, say);
      for (const job of jobs) {
        const cpuMs = await costOf(job, stack).finally(() => job.close());
        say(`${axis.title}: ${size.toLocaleString('en')}, ${job.name}: ${cpuMs.toFixed(2)} ms of CPU`);
        const curve = curves.get(job.name) ?? { job: job.name, points: [] };
        curve.points.push({ size, cpuMs });
        curves.set(job.name, curve);
      }
    }
  } finally {
    await axis.close();
  }
  return { axis: axis.name, title: axis.title, curves: [...curves.values()] };
}

/** The median of the rounds. A run with a single error is refused. */
async function costOf({ name, work }: GrowingJob, stack: BenchStack): Promise<number> {
  const costs: number[] = [];
  await round(warmUpMs);
  for (let nth = 0; nth < rounds; nth += 1) costs.push(await round(roundMs));
  return median(costs);

  async function round(durationMs: number): Promise<number> {
    let before = stack.cpuSeconds();
    const begin = (): void => void (before = stack.cpuSeconds());
    const { count, errors } = await (typeof work === 'function'
      ? drive(work, concurrency, durationMs)
      : work.run(durationMs, begin));
    if (errors.length > 0) throw new FailedRun(`${name}: ${errors.length} errors, the first: ${errors[0]}`);
    const after = stack.cpuSeconds();
    if (before === undefined || after === undefined) throw new FailedRun('CPU time is known on Linux only');
    return ((after - before) * 1000) / count;
  }
}
