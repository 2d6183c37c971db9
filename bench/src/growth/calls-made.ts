import { openPlacing } from '../placing';
import type { BenchStack, OpenStack } from '../stack';
import { usualCallees } from '../write-calls';
import type { Axis, GrowingJob } from './axis';
import { filtered, get, overHttp } from './jobs';
import { openTwoYears } from './two-years';
import type { TwoYears } from './two-years';

/** An account calls for two years, more and more: the calls of every month become more. */
export function callsMade(openStack: OpenStack, rows: number): Axis {
  let years: TwoYears | undefined;
  let written = 0;

  return {
    name: 'calls',
    title: 'calls of an account in two years',
    sizes: [10_000, 100_000, 1_000_000, 10_000_000, 100_000_000].filter((size) => size <= rows),
    async grow(size, say) {
      const stack = await openStack();
      years ??= await openTwoYears(stack);
      await years.add({ count: size - written, first: written + 1 }, say);
      written = size;
      return { stack, jobs: await jobsOf(stack, years) };
    },
    close: () => Promise.resolve(),
  };
}

async function jobsOf(stack: BenchStack, { account, since, spanMs }: TwoYears): Promise<GrowingJob[]> {
  const dayOf = (nth: number): string =>
    new Date(since.getTime() + ((nth * 7_919 * 86_400_000) % spanMs)).toISOString().slice(0, 10);
  const list = (name: string, queryOf: (nth: number) => string): GrowingJob =>
    overHttp(stack, name, (nth) => get(`/calls?${queryOf(nth)}`, account.token));
  const { job, close } = await openPlacing(stack, account);
  return [
    list('the first page', () => 'page=1'),
    list('pages 2 to 20', (nth) => `page=${2 + (nth % 19)}`),
    list('calls to a number', (nth) => filtered({ to: String(5_511_900_000_000 + ((nth * 7_919) % usualCallees)) })),
    list('calls of a day', (nth) => filtered({ started_at: { between: [dayOf(nth), dayOf(nth)] } })),
    { name: 'placing a call', work: job, close },
  ];
}
