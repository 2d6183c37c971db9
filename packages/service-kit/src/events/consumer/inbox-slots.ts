import type { Database, Queryable } from '../../postgres/database';
import { sqlState } from '../../postgres/errors';

// The slots of the inbox, as migration 0006 has made them: the slot of an event follows from the time in its id.
const slots = 8;
const slotMs = 2 ** 27;
/** So many are written back under the lock, in a fraction of a second. */
const mostKept = 10_000;
/** Whoever uses the slot waits behind this. Somebody who holds it for longer, such as pg_dump, is let be until the next try. */
const lockTimeout = '200ms';
const lockNotAvailable = '55P03';

interface Row {
  consumer: string;
  event_id: string;
  recorded_at: string;
}

export interface EmptiedSlot {
  slot: string;
  /** Rows that are not old: of events that came late, or were told again under an old id. */
  kept: number;
}

/**
 * Empties the slot that is used next, except for rows recorded after the time. Undefined: there was nothing to do, or it is not possible
 * now. A slot that is not emptied before its turn keeps its old rows until the next one, which costs room and nothing else.
 */
export async function emptyNextSlot(
  database: Database,
  { now, before }: { now: Date; before: Date },
): Promise<EmptiedSlot | undefined> {
  const slot = `inbox_${(Math.floor(now.getTime() / slotMs) + 1) % slots}`;
  // Old rows are the first of the table, so that one look finds them or finds few rows.
  const old = await database.query(`SELECT FROM ${slot} WHERE recorded_at < $1 LIMIT 1`, [before]);
  if (old.length === 0) {
    return undefined;
  }
  // Done ahead, so that the look under the lock reads only where young rows are.
  await database.query(`SELECT brin_summarize_new_values('${slot}_recorded_at')`);
  if ((await listYoung(database, slot, before)).length > mostKept) {
    return undefined;
  }
  return database.transaction((tx) => replaceByYoung(tx, slot, before)).catch(ignoreBusy);
}

async function replaceByYoung(tx: Queryable, slot: string, before: Date): Promise<EmptiedSlot | undefined> {
  await tx.query(`SELECT set_config('lock_timeout', $1, true), set_config('enable_seqscan', 'off', true)`, [
    lockTimeout,
  ]);
  await tx.query(`LOCK TABLE ${slot} IN ACCESS EXCLUSIVE MODE`);
  const young = await listYoung(tx, slot, before);
  if (young.length > mostKept) {
    return undefined;
  }
  await tx.query(`TRUNCATE ${slot}`);
  await tx.query(
    `INSERT INTO ${slot} (consumer, event_id, recorded_at) SELECT * FROM unnest($1::text[], $2::uuid[], $3::timestamptz[])`,
    [
      young.map(({ consumer }) => consumer),
      young.map(({ event_id }) => event_id),
      young.map(({ recorded_at }) => recorded_at),
    ],
  );
  return { slot, kept: young.length };
}

/** One more than may be kept, if there are more. */
const listYoung = (queryable: Queryable, slot: string, before: Date): Promise<Row[]> =>
  queryable.query<Row>(
    `SELECT consumer, event_id, recorded_at::text FROM ${slot} WHERE recorded_at >= $1 LIMIT ${mostKept + 1}`,
    [before],
  );

function ignoreBusy(error: unknown): undefined {
  if (sqlState(error) !== lockNotAvailable) {
    throw error;
  }
}
