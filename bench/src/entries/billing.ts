import { Pool } from 'pg';
import type { Entry } from '../harness';
import { openRatingLoad } from '../rating-load';
import type { BenchStack, OpenStack } from '../stack';

/** Measured out of a backlog, so that the pace of the publisher does not count. */
const callsPerTurn = 8_000;
const rowsAtOnce = 256;

export function billing(openStack: OpenStack): Entry[] {
  return [
    {
      name: 'rating: call.ended → ledger → price on the record, out of a backlog (target: 4000/s)',
      floorName: `one bare row each, ${rowsAtOnce} a transaction`,
      prepare: async () => {
        const stack = await openStack();
        const load = await openRatingLoad(stack);
        const floor = await openFloor(stack);
        return {
          floor: { run: () => floor.insert(callsPerTurn) },
          product: { run: () => load.drain(callsPerTurn) },
          reset: floor.empty,
          close: async () => void (await load.close(), await floor.close()),
        };
      },
    },
    {
      name: 'reservation of a call’s credit over gRPC',
      floorName: 'a bare transaction of one statement',
      concurrency: 8,
      prepare: async () => {
        const stack = await openStack();
        const load = await openRatingLoad(stack);
        const floor = await openFloor(stack);
        return {
          floor: floor.update,
          product: load.reserve,
          close: async () => void (await load.close(), await floor.close()),
        };
      },
    },
  ];
}

async function openFloor(stack: BenchStack) {
  const pool = new Pool({ connectionString: stack.postgresUrl, max: 8 });
  await pool.query('DROP TABLE IF EXISTS public.bench_rows');
  await pool.query(
    'CREATE TABLE public.bench_rows (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, amount numeric(18, 4))',
  );
  await pool.query('INSERT INTO public.bench_rows (amount) SELECT 0 FROM generate_series(1, 50)');
  return {
    empty: async () => void (await pool.query('TRUNCATE public.bench_rows')),
    async insert(count: number) {
      const startedAt = performance.now();
      for (let left = count; left > 0; left -= rowsAtOnce) {
        const amounts = Array.from({ length: Math.min(left, rowsAtOnce) }, () => '0.1210');
        await pool.query({
          name: 'bench-insert',
          text: 'INSERT INTO public.bench_rows (amount) SELECT unnest($1::numeric[])',
          values: [amounts],
        });
      }
      const perSecond = count / ((performance.now() - startedAt) / 1000);
      return { count, perSecond, p50: Number.NaN, p99: Number.NaN, errors: [] };
    },
    update: async () => {
      await pool.query({
        name: 'bench-update',
        text: 'UPDATE public.bench_rows SET amount = amount + 0.11 WHERE id = $1',
        values: [1 + Math.floor(Math.random() * 50)],
      });
    },
    async close() {
      await pool.query('DROP TABLE public.bench_rows');
      await pool.end();
    },
  };
}
