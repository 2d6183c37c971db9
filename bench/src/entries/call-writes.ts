import { setTimeout as delay } from 'node:timers/promises';
import { cpuSecondsOf } from '../process-usage';
import { openRealCalls } from '../real-calls';
import { withAsterisk } from '../stack';
import type { BenchStack, OpenStack } from '../stack';
import type { TrialEntry } from '../trial';
import { openWrittenRows } from '../written-rows';
import type { Written, WrittenTable } from '../written-rows';

const rate = 15;
const seconds = 20;
const warmUp = { rate: 10, calls: 100 };
const settleMs = 30_000;
/** The record of a call is written when it is accepted, when it ends and when it has a price. */
const mostWrites = 3;

/** What is written for a call through its life, by telephony most of all: rows, index entries, bytes of write-ahead log. */
export function callWrites(openStack: OpenStack): TrialEntry[] {
  return [
    {
      name: 'writes of a call through its life, real Asterisk',
      run: async (say) => writesOf(await withAsterisk(openStack), say),
    },
  ];
}

async function writesOf(stack: BenchStack, say: (line: string) => void) {
  const calls = await openRealCalls(stack, 30);
  const database = await openWrittenRows(stack.postgresUrl);
  try {
    await calls.placeMany(warmUp.calls, warmUp.rate, say);
    await calls.outcome();
    await priced();
    const cpu = () => ({ telephony: cpuOf(stack, 'telephony'), PostgreSQL: cpuOf(stack, 'postgres') });
    const begun = cpu();
    const written = await database.during(async () => {
      await calls.placeMany(rate * seconds, rate, say);
      await calls.outcome();
      await priced();
    });
    const ended = cpu();
    const { whole } = await calls.outcome();
    const count = rate * seconds;
    const each = (value: number, digits = 1): string => (value / count).toFixed(digits);
    for (const line of describe(written, each)) say(`  ${line}`);
    const record = written.tables.find(({ name }) => name === 'telephony.calls')!;
    const writes = (record.inserts + record.updates) / count;
    const sumOf = (tables: WrittenTable[], read: (table: WrittenTable) => number): number =>
      tables.reduce((sum, table) => sum + read(table), 0);
    const own = written.tables.filter(({ name }) => name.startsWith('telephony.'));
    const all = (read: (table: WrittenTable) => number): number => sumOf(own, read);
    const updates = sumOf(written.tables, (table) => table.updates);
    const hotUpdates = sumOf(written.tables, (table) => table.hotUpdates);
    return {
      floor: '',
      measured:
        `${writes.toFixed(2)} writes of calls (${record.indexes} indexes, ${each(record.indexEntries)} entries, ${each(record.walBytes, 0)} bytes of WAL); ` +
        `telephony: ${each(all(rowsOf))} rows, ${each(all(({ indexEntries }) => indexEntries))} index entries, ` +
        `${each(
          all(({ walBytes }) => walBytes),
          0,
        )} bytes; all services: ${each(written.walBytes, 0)} bytes with whole pages, ` +
        `${each(written.transactions)} transactions, ${each(updates)} updates, ${Math.round((100 * hotUpdates) / updates)} % of them HOT; CPU telephony ${each((ended.telephony - begun.telephony) * 1000)} ms, ` +
        `PostgreSQL ${each((ended.PostgreSQL - begun.PostgreSQL) * 1000)} ms; ${warmUp.calls + count - whole} failed`,
      target: `≤ ${mostWrites} writes of calls`,
      // The last call before those that count may be written a moment after the first look.
      kept: writes - mostWrites < 0.05 && whole === warmUp.calls + count,
    };
  } finally {
    await Promise.all([calls.close(), database.close()]);
  }

  /** A price comes from billing, a moment after the end. */
  async function priced(): Promise<void> {
    for (const giveUpAt = Date.now() + settleMs; Date.now() < giveUpAt; await delay(250)) {
      const text = 'SELECT count(*)::int AS count FROM telephony.calls WHERE call_price IS NULL';
      const { rows } = await database.query(text, []);
      if (rows[0]!.count === 0) return;
    }
  }
}

const cpuOf = (stack: BenchStack, name: string): number => cpuSecondsOf(stack.pidOf(name)) ?? 0;

const rowsOf = ({ inserts, updates, deletes }: WrittenTable): number => inserts + updates + deletes;

function describe({ tables }: Written, each: (value: number, digits?: number) => string): string[] {
  return tables
    .filter((table) => rowsOf(table) > 0)
    .sort((a, b) => b.walBytes - a.walBytes)
    .map(
      (table) =>
        `${table.name}: ${each(table.inserts, 2)} inserts, ${each(table.updates, 2)} updates (${each(table.hotUpdates, 2)} HOT), ` +
        `${each(table.deletes, 2)} deletes, ${each(table.indexEntries)} index entries, ${each(table.walBytes, 0)} bytes of WAL`,
    );
}
