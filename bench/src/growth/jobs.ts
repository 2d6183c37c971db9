import { openHttpJob } from '../http-job';
import type { HttpJobOptions } from '../http-job';
import type { BenchStack } from '../stack';
import type { Job } from '../load';
import type { GrowingJob } from './axis';

type Request = ReturnType<HttpJobOptions['request']>;

/** Asks the gateway something else each time. */
export function overHttp(
  stack: BenchStack,
  name: string,
  requestOf: (nth: number) => Request,
): GrowingJob & { work: Job } {
  let next = 0;
  const { job, close } = openHttpJob({
    origin: stack.gatewayUrl,
    connections: 16,
    request: () => requestOf(next++),
    expectedStatus: 200,
  });
  return { name, work: job, close };
}

export const get = (path: string, token: string): Request => ({
  method: 'GET',
  path: `/api/v1${path}`,
  headers: { authorization: token },
});

export const filtered = (where: object): string => `filter=${encodeURIComponent(JSON.stringify({ where }))}`;
