import { Client } from 'pg';
import { monthFrom } from '@sabia/service-kit/postgres/partitions/months';
import { firstIdOf } from '@sabia/service-kit/postgres/partitions/time-in-ids';
import { openFilledAccount } from '../filled-account';
import type { FilledAccount } from '../filled-account';
import { writeCalls } from '../filled-calls';
import { openPlacing } from '../placing';
import type { BenchStack, OpenStack } from '../stack';
import type { Axis, GrowingJob } from './axis';
import { filtered, get, overHttp } from './jobs';

const months = 24;
const numbers = 99_991;

/** An account calls for two years, more and more: the calls of every month become more. */
export function callsMade(openStack: OpenStack, rows: number): Axis {
  const now = new Date();
  const since = monthFrom(now, -months);
  const spanMs = monthFrom(now, 0).getTime() - since.getTime();
  let account: FilledAccount | undefined;
  let written = 0;

  return {
    name: 'calls',
    title: 'calls of an account in two years',
    sizes: [10_000, 100_000, 1_000_000, 10_000_000, 100_000_000].filter((size) => size <= rows),
    async grow(size, say) {
      const stack = await openStack();
      const client = new Client({ connectionString: stack.postgresUrl });
      await client.connect();
      try {
        if (account === undefined) {
          account = await openFilledAccount(stack, 1);
          await cutIntoMonths(client, since);
        }
        const count = size - written;
        const span = { since, stepMs: spanMs / count, first: written + 1 };
        await writeCalls(client, [{ domain: account.domain, rows: count, nth: 0, ...span }], say);
        written = size;
      } finally {
        await client.end();
      }
      return { stack, jobs: await jobsOf(stack, account.token, { since, spanMs }) };
    },
    close: () => Promise.resolve(),
  };
}

async function jobsOf(
  stack: BenchStack,
  token: string,
  { since, spanMs }: { since: Date; spanMs: number },
): Promise<GrowingJob[]> {
  const dayOf = (nth: number): string =>
    new Date(since.getTime() + ((nth * 7_919 * 86_400_000) % spanMs)).toISOString().slice(0, 10);
  const list = (name: string, queryOf: (nth: number) => string): GrowingJob =>
    overHttp(stack, name, (nth) => get(`/calls?${queryOf(nth)}`, token));
  const { job, close } = await openPlacing(stack);
  return [
    list('the first page', () => 'page=1'),
    list('pages 2 to 20', (nth) => `page=${2 + (nth % 19)}`),
    list('calls to a number', (nth) => filtered({ to: String(5_511_900_000_000 + ((nth * 7) % numbers)) })),
    list('calls of a day', (nth) => filtered({ started_at: { between: [dayOf(nth), dayOf(nth)] } })),
    { name: 'placing a call', work: job, close },
  ];
}

/** The one partition that a new database has becomes months, as if the service had run for all that time. */
async function cutIntoMonths(client: Client, since: Date): Promise<void> {
  await client.query('SET search_path = telephony');
  const { rows } = await client.query<{ until: string }>(
    `SELECT substring(pg_get_expr(relpartbound, oid) FROM 'TO \\(''([0-9a-f-]{36})''\\)') AS until
     FROM pg_class WHERE oid = 'calls_before'::regclass`,
  );
  const end = rows[0]!.until;
  await client.query('ALTER TABLE calls DETACH PARTITION calls_before');
  let from = 'MINVALUE';
  for (let month = since; firstIdOf(month) < end; month = monthFrom(month, 1)) {
    const name = `calls_${month.toISOString().slice(0, 7).replace('-', '_')}`;
    const until = firstIdOf(monthFrom(month, 1));
    await client.query(
      `CREATE TABLE ${name} (LIKE calls INCLUDING DEFAULTS INCLUDING CONSTRAINTS) WITH (fillfactor = 85)`,
    );
    await client.query(`ALTER TABLE calls ATTACH PARTITION ${name} FOR VALUES FROM (${from}) TO ('${until}')`);
    from = `'${until}'`;
  }
  await client.query('INSERT INTO calls SELECT * FROM calls_before');
  await client.query('DROP TABLE calls_before');
}
