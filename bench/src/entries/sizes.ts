import { say } from '../attempt';
import { filtered, get, overHttp } from '../growth/jobs';
import type { TwoYears } from '../growth/two-years';
import type { Job } from '../load';
import { openPlacing } from '../placing';
import type { SideBySideEntry } from '../side-by-side';
import type { BenchStack } from '../stack';
import { usualCallees } from '../write-calls';

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

/**
 * People look at the same calls again: so many questions, far apart, are asked in turns. Before that each is asked once, for which a
 * table that is larger than the memory has to be read from the disk.
 */
const questions = 1_000;
const askedAtOnce = 16;

/** How many a second were answered. */
async function askEach(ask: Job): Promise<number> {
  const startedAt = performance.now();
  const turns = Array.from({ length: questions }).values();
  const askOn = async (): Promise<void> => {
    for (const _turn of turns) await ask();
  };
  await Promise.all(Array.from({ length: askedAtOnce }, askOn));
  return (questions * 1000) / (performance.now() - startedAt);
}

/** Questions whose answers are equally long however many calls there are, and new calls. */
export function sizes(accountOf: (stack: BenchStack) => SizedAccount): SideBySideEntry[] {
  const asking = (name: string, pathOf: (nth: number, sized: SizedAccount) => string): SideBySideEntry => ({
    name,
    concurrency: askedAtOnce,
    prepare: async (stack) => {
      const sized = accountOf(stack);
      const job = overHttp(stack, name, (nth) => get(pathOf(nth % questions, sized), sized.account.token));
      say(`${name}, ${sized.rows / million}M calls: ${(await askEach(job.work)).toFixed(0)}/s when asked first`);
      return job;
    },
  });
  const list = (name: string, queryOf: (nth: number, sized: SizedAccount) => string): SideBySideEntry =>
    asking(name, (nth, sized) => `/calls?${queryOf(nth, sized)}`);
  return [
    list('the first page, exact total', () => 'page=1'),
    list('pages 2 to 20', (nth) => `page=${2 + (nth % 19)}`),
    asking('one call', (nth, { ids }) => `/calls/${ids[nth % ids.length]!}`),
    list('calls to a number: ten', (nth, { rows }) =>
      filtered({ to: String(5_511_900_000_000 + ((nth * 7_919) % calleesOf(rows))) }),
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
