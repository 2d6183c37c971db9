import { usualCallees } from '../filled-calls';
import { filtered, get, overHttp } from '../growth/jobs';
import type { TwoYears } from '../growth/two-years';
import { openPlacing } from '../placing';
import type { SideBySideEntry } from '../side-by-side';
import type { BenchStack } from '../stack';

export const million = 1_000_000;
const day = 86_400_000;

/** An account with that many calls. */
export interface SizedAccount extends TwoYears {
  rows: number;
  /** Of calls anywhere in the two years. */
  ids: string[];
}

/** Who calls more often calls more people: each number has been called ten times. */
export const calleesOf = (rows: number): number => Math.round((usualCallees * rows) / million);

/** Questions whose answers are equally long however many calls there are, and new calls. */
export function sizes(accountOf: (stack: BenchStack) => SizedAccount): SideBySideEntry[] {
  const asking = (name: string, pathOf: (nth: number, sized: SizedAccount) => string): SideBySideEntry => ({
    name,
    concurrency: 16,
    prepare: (stack) => {
      const sized = accountOf(stack);
      return Promise.resolve(overHttp(stack, name, (nth) => get(pathOf(nth, sized), sized.account.token)));
    },
  });
  const list = (name: string, queryOf: (nth: number, sized: SizedAccount) => string): SideBySideEntry =>
    asking(name, (nth, sized) => `/calls?${queryOf(nth, sized)}`);
  return [
    list('the first page, exact total', () => 'page=1'),
    list('pages 2 to 20', (nth) => `page=${2 + (nth % 19)}`),
    asking('one call', (nth, { ids }) => `/calls/${ids[nth % ids.length]!}`),
    list('calls to a number: ten', (nth, { rows }) =>
      filtered({ to: String(5_511_900_000_000 + ((nth * 7) % calleesOf(rows))) }),
    ),
    list('the call of a lead', (nth, { rows }) => filtered({ 'metadata.leadId': 1 + ((nth * 7_919) % rows) })),
    list('a caller id that no call has', (nth) => filtered({ BINA: String(551_150_000_000 + nth) })),
    list('calls of a span: 1,370, the first 50 and the total', (nth, { rows, since, spanMs }) => {
      const lengthMs = (day * million) / rows;
      const from = since.getTime() + ((nth * 7_919 * lengthMs) % (spanMs - lengthMs));
      const [gte, lt] = [from, from + lengthMs].map((at) => new Date(at).toISOString());
      return filtered({ started_at: { gte, lt } });
    }),
    {
      name: 'placing a call',
      prepare: async (stack) => {
        const { job, close } = await openPlacing(stack, accountOf(stack).account);
        return { work: job, close };
      },
    },
  ];
}
