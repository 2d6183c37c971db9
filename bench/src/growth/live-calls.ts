import { FailedRun } from '../harness';
import { drive } from '../load';
import { openPlacing } from '../placing';
import type { OpenStack } from '../stack';
import type { Axis } from './axis';
import { get, overHttp } from './jobs';

const placedAtOnce = 32;
const sliceMs = 1_000;

/** More and more calls ring at the same time. */
export function liveCalls(openStack: OpenStack): Axis {
  let live = 0;
  return {
    name: 'live-calls',
    title: 'calls at the same time, at least',
    sizes: [1_000, 10_000, 30_000],
    async grow(size, say) {
      const stack = await openStack();
      const { job, close } = await openPlacing(stack);
      const counted = async (): Promise<void> => {
        await job();
        live += 1;
      };
      say(`placing ${(size - live).toLocaleString('en')} calls …`);
      while (live < size) {
        const { errors } = await drive(counted, placedAtOnce, live + 500 < size ? sliceMs : sliceMs / 10);
        if (errors.length > 0) throw new FailedRun(errors[0]);
      }
      return {
        stack,
        jobs: [
          overHttp(stack, 'who am I', () => get('/users/me', stack.token)),
          overHttp(stack, 'the first page of calls', () => get('/calls', stack.token)),
          { name: 'placing a call', work: counted, close },
        ],
      };
    },
    close: () => Promise.resolve(),
  };
}
