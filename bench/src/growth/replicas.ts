import type { Turn } from '../harness';
import type { Job } from '../load';
import { pace } from '../paced';
import { openPlacing } from '../placing';
import type { BenchStack } from '../stack';
import type { Axis, GrowingJob } from './axis';
import { get, overHttp } from './jobs';

/** Requests a second for each replica: far from what it can do, so that the machine has time for all of them. */
const perReplica = { reading: 60, placing: 20 };

/**
 * Each replica more brings as many requests more. The machine stays the same: replicas carry more on more machines if a request does
 * not cost more with them.
 */
export function replicas(openStackOf: (count: number) => Promise<BenchStack>): Axis {
  let stack: BenchStack | undefined;
  return {
    name: 'replicas',
    title: 'replicas of each service, each with the same load',
    sizes: [1, 2, 3],
    async grow(size) {
      await stack?.close();
      const opened = (stack = await openStackOf(size));
      const placing = await openPlacing(opened);
      const paced = ({ name, work, close }: GrowingJob & { work: Job }, rate: number): GrowingJob => ({
        ...{ name, close },
        work: steady(work, rate * size),
      });
      const reading = (name: string, path: string): GrowingJob =>
        paced(
          overHttp(opened, name, () => get(path, opened.token)),
          perReplica.reading,
        );
      return {
        stack: opened,
        jobs: [
          reading('who am I', '/users/me'),
          reading('the first page of calls', '/calls'),
          paced({ name: 'placing a call', work: placing.job, close: placing.close }, perReplica.placing),
        ],
      };
    },
    close: async () => stack?.close(),
  };
}

const steady = (job: Job, perSecond: number): Turn => ({
  run: (durationMs) => pace(job, perSecond, durationMs),
});
