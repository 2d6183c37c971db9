import type { Client } from 'pg';
import { monthFrom } from '@sabia/service-kit/postgres/partitions/months';
import { firstIdOf } from '@sabia/service-kit/postgres/partitions/time-in-ids';
import { openFilledAccount } from '../filled-account';
import type { FilledAccount } from '../filled-account';
import { callsInMonths } from '../calls-in-months';
import type { BenchStack } from '../stack';
import { withDatabase } from '../with-database';
import { writeCalls } from '../write-calls';

const months = 24;

/** An account that has called for two years until now, in the months of a service that has run for all that time. */
export interface TwoYears {
  since: Date;
  spanMs: number;
  account: FilledAccount;
  /** Adds calls, spread over all of the time. `callees`: how many different numbers they call. */
  add(calls: { count: number; first: number; callees?: number }, say: (line: string) => void): Promise<void>;
}

export async function openTwoYears(stack: BenchStack): Promise<TwoYears> {
  const now = new Date();
  const since = monthFrom(now, -months);
  const spanMs = now.getTime() - since.getTime();
  const account = await openFilledAccount(stack, 1);
  await withDatabase(stack, (client) => cutIntoMonths(client, since));
  return {
    ...{ since, spanMs, account },
    async add({ count, ...calls }, say) {
      const span = { since, stepMs: spanMs / count };
      await writeCalls(stack, [{ domain: account.domain, rows: count, nth: 0, ...calls, ...span }], say);
    },
  };
}

/** The one partition that a new database has becomes months, as if the service had run for all that time. */
async function cutIntoMonths(client: Client, since: Date): Promise<void> {
  await client.query('SET search_path = telephony');
  const table = await callsInMonths(client);
  const { rows } = await client.query<{ until: string }>(
    `SELECT substring(pg_get_expr(relpartbound, oid) FROM 'TO \\(''([0-9a-f-]{36})''\\)') AS until
     FROM pg_class WHERE oid = 'calls_before'::regclass`,
  );
  const end = rows[0]!.until;
  await client.query(`ALTER TABLE ${table} DETACH PARTITION calls_before`);
  let from = 'MINVALUE';
  for (let month = since; firstIdOf(month) < end; month = monthFrom(month, 1)) {
    const name = `calls_${month.toISOString().slice(0, 7).replace('-', '_')}`;
    const until = firstIdOf(monthFrom(month, 1));
    await client.query(
      `CREATE TABLE ${name} (LIKE ${table} INCLUDING DEFAULTS INCLUDING CONSTRAINTS) WITH (fillfactor = 85)`,
    );
    await client.query(`ALTER TABLE ${table} ATTACH PARTITION ${name} FOR VALUES FROM (${from}) TO ('${until}')`);
    from = `'${until}'`;
  }
  await client.query(`INSERT INTO ${table} SELECT * FROM calls_before`);
  await client.query('DROP TABLE calls_before');
}
