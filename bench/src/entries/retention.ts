import { createLogger } from '@sabia/service-kit/logging';
import { createDatabase } from '@sabia/service-kit/postgres/database';
import type { Database, Queryable } from '@sabia/service-kit/postgres/database';
import { createPartitionKeeper } from '@sabia/telephony/partition-keeper';
import { monthFrom } from '@sabia/service-kit/postgres/partitions/months';
import { firstIdOf } from '@sabia/service-kit/postgres/partitions/time-in-ids';
import { listPartitions } from '@sabia/service-kit/postgres/partitions/make-partitions';
import { openCallsAccounts } from '../filled-calls';
import type { Job } from '../load';
import { pace } from '../paced';
import { openPlacing } from '../placing';
import type { BenchStack, OpenStack } from '../stack';
import type { TrialEntry, Verdict } from '../trial';

const perSecond = 20;
const sliceMs = 1_000;
const slicesAlone = 20;
/** The first seconds of a stack are spent compiling it. */
const slicesToWarmUp = 10;
const longestAllowedMs = 1_000;
const dayMs = 86_400_000;
const longAgo = { since: new Date(1_700_000_000_000), stepMs: 6_000 };
const log = createLogger({ name: 'bench', level: 'warn' });

/** What callers notice when a month of calls is dropped. */
export function retention(openStack: OpenStack, rows: number): TrialEntry[] {
  return [
    {
      name: `retention: ${rows.toLocaleString('en')} calls of a month are dropped while others are placed`,
      run: async (say) => dropMonth(await openStack(), rows, say),
    },
  ];
}

async function dropMonth(stack: BenchStack, rows: number, say: (line: string) => void): Promise<Verdict> {
  const [account] = await openCallsAccounts(stack, [rows], say, longAgo);
  const url = new URL(stack.postgresUrl);
  url.searchParams.set('options', '-c search_path=telephony');
  const database = createDatabase({ url: url.href, applicationName: 'bench', poolSize: 4, log });
  const placing = await openPlacing(stack);
  try {
    const until = monthFrom(new Date(), 0);
    await endFirstPartition(database, until);
    const steps = new Map<string, number>();
    // For it, it is the second day of this month: what began before the first is over.
    const keep = createPartitionKeeper({
      ...{ database: timed(database, steps), callRetentionDays: 1, timelineRetentionDays: 0, log },
      now: () => new Date(until.getTime() + dayMs),
    });
    await placeFor(placing.job, slicesToWarmUp);
    const alone = await placeFor(placing.job, slicesAlone);
    say(`without a drop: ${show(alone)}`);
    let isDropped = false;
    const dropping = keep().finally(() => (isDropped = true));
    const [beside] = await Promise.all([placeFor(placing.job, 1, () => isDropped), dropping]);
    const total = await totalOf(database, account!.accountId);
    return {
      floor: show(alone),
      measured: [
        show(beside),
        ...[...steps].map(([step, ms]) => `${step} ${ms.toFixed(0)} ms`),
        `total afterwards ${total}`,
      ].join('; '),
      target: `none longer than ${longestAllowedMs} ms`,
      kept: beside.longestMs <= longestAllowedMs && steps.has('drop') && total === 0,
    };
  } finally {
    await placing.close();
    await database.close();
  }
}

/** The calls that are there, all of which are old, are those of the first partition, which ends there; another goes on. */
async function endFirstPartition(database: Database, end: Date): Promise<void> {
  const [first] = (await listPartitions(database, 'calls_final')) ?? [];
  const attach = (name: string, from: string, until: Date): Promise<unknown> =>
    database.query(
      `ALTER TABLE calls_final ATTACH PARTITION ${name} FOR VALUES FROM (${from}) TO ('${firstIdOf(until)}')`,
    );
  await database.query('CREATE TABLE calls_since (LIKE calls_final INCLUDING DEFAULTS INCLUDING CONSTRAINTS)');
  await database.query(`ALTER TABLE calls_final DETACH PARTITION ${first!.name}`);
  await attach(first!.name, 'MINVALUE', end);
  await attach('calls_since', `'${firstIdOf(end)}'`, first!.until);
}

const totalOf = async (database: Database, accountId: number): Promise<number> => {
  const [row] = await database.query<{ total: number }>(
    'SELECT sum(total)::bigint AS total FROM call_counters WHERE account_id = $1',
    [accountId],
  );
  return row!.total;
};

interface Placed {
  count: number;
  longestMs: number;
}

const show = ({ count, longestMs }: Placed): string => `longest of ${count} placings ${longestMs.toFixed(0)} ms`;

/** At least for so many slices of time, and until it is said that this is enough. */
async function placeFor(job: Job, slices: number, isEnough = () => true): Promise<Placed> {
  const placed = { count: 0, longestMs: 0 };
  const timedJob: Job = async () => {
    const begin = performance.now();
    await job();
    placed.longestMs = Math.max(placed.longestMs, performance.now() - begin);
    placed.count += 1;
  };
  for (let slice = 0; slice < slices || !isEnough(); slice += 1) {
    const { errors } = await pace(timedJob, perSecond, sliceMs);
    if (errors.length > 0) throw new Error(errors[0]);
  }
  return placed;
}

/** Adds up how long the steps of a drop take. */
function timed(database: Database, steps: Map<string, number>): Database {
  const time = async <T>(step: string | undefined, work: () => Promise<T>): Promise<T> => {
    const begin = performance.now();
    const result = await work();
    if (step !== undefined) steps.set(step, (steps.get(step) ?? 0) + performance.now() - begin);
    return result;
  };
  const stepOf = (text: string): string | undefined =>
    text.includes('DETACH PARTITION') ? 'detach' : text.startsWith('WITH chunk') ? 'count' : undefined;
  const watch = (session: Queryable): Queryable => ({
    ...session,
    query: (text, ...rest) => time(stepOf(text), () => session.query(text, ...rest)),
  });
  return {
    ...database,
    session: (work) => database.session((session) => work(watch(session))),
    // Where something was counted, the transaction that follows is the drop.
    transaction: (work) => time(steps.has('count') ? 'drop' : undefined, () => database.transaction(work)),
  };
}
