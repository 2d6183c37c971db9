import { randomUUID } from 'node:crypto';
import { createInbox } from '@sabia/service-kit/events/consumer/inbox';
import type { Inbox } from '@sabia/service-kit/events/consumer/inbox';
import { createInboxCleaner } from '@sabia/service-kit/events/consumer/inbox-cleaner';
import { emptyNextSlot } from '@sabia/service-kit/events/consumer/inbox-slots';
import { newEventId } from '@sabia/service-kit/events/outbox';
import { createDatabase } from '@sabia/service-kit/postgres/database';
import type { Database } from '@sabia/service-kit/postgres/database';
import { eventually } from '@sabia/testkit/eventually';
import { useEventRoom } from './event-room';
import { log, unique } from './event-stage';

const day = 24 * 60 * 60 * 1000;
const slotMs = 2 ** 27;
/** When the slot of what happens now is the next one that is used. */
const beforeItsNextTurn = (moment: Date): Date => new Date(moment.getTime() + 7 * slotMs);

describe('events that the inbox knows', () => {
  const room = useEventRoom();
  let database: Database;
  let consumer: string;
  let inbox: Inbox;

  beforeEach(async () => {
    ({ database } = room.stage);
    await database.query('TRUNCATE inbox, inbox_attempts');
    consumer = unique('consumer');
    inbox = createInbox(database, consumer);
  });

  const record = async (id: string, at: Date) =>
    void (await database.query('INSERT INTO inbox (consumer, event_id, recorded_at) VALUES ($1, $2, $3)', [
      ...[consumer, id, at],
    ]));
  const known = async () =>
    (await database.query<{ id: string }>('SELECT event_id AS id FROM inbox ORDER BY 1')).map(({ id }) => id);
  const empty = (now: Date) => emptyNextSlot(database, { now, before: new Date(now.getTime() - 8 * day) });

  it('are forgotten once the stream cannot hold them any more', async () => {
    const now = new Date();
    const ids = Array.from({ length: 3 }, () => newEventId(now));
    await inbox.record(database, ids);
    await inbox.fail(ids[0]!);
    let moment = new Date(now.getTime() + 6 * slotMs);
    const cleaner = createInboxCleaner({ database, inbox, log, everyMs: 5, now: () => moment });
    cleaner.start();
    await eventually(async () => (await database.query('SELECT FROM inbox_attempts')).length === 0);
    expect(await known()).toEqual([...ids].sort());
    moment = beforeItsNextTurn(now);
    await eventually(async () => (await known()).length === 0);
    await cleaner.stop();
    expect(await inbox.record(database, ids)).toEqual(new Set(ids));
  });

  it('are known for eight days also under an old id, whichever slot that has', async () => {
    const now = beforeItsNextTurn(new Date());
    const slot = new Date(now.getTime() - 7 * slotMs);
    const [over, late, toldAgain] = [
      newEventId(slot),
      newEventId(slot),
      newEventId(new Date(slot.getTime() - 8 * slotMs)),
    ];
    await record(over, new Date(now.getTime() - 8 * day - 1));
    await record(late, new Date(now.getTime() - 8 * day));
    await record(toldAgain, new Date(now.getTime() - 1_000));
    expect(await empty(now)).toMatchObject({ kept: 2 });
    expect(await empty(now)).toBeUndefined();
    expect(await inbox.record(database, [over, late, toldAgain])).toEqual(new Set([over]));
  });

  it('are handled once, whatever their ids are and however many replicas get them', async () => {
    const ids = Array.from({ length: 200 }, (_, index) =>
      index % 2 === 0 ? randomUUID() : newEventId(new Date(index * 10 * day)),
    );
    const fresh = await Promise.all(
      Array.from({ length: 6 }, () => database.transaction((tx) => inbox.record(tx, ids))),
    );
    expect(fresh.flatMap((some) => [...some]).sort()).toEqual([...ids].sort());
    expect(await inbox.claim(ids[0]!, 1_000)).toBe('handled');
  });

  it('wait to be forgotten while somebody reads them, and keep no consumer waiting', async () => {
    const now = new Date();
    const [old] = [newEventId(now)];
    await inbox.record(database, [old]);
    const later = beforeItsNextTurn(now);
    await database.transaction(async (reader) => {
      await reader.query('SELECT FROM inbox');
      const emptying = empty(later);
      // Behind the lock that is waited for.
      expect(await inbox.record(database, [newEventId(now)])).toHaveProperty('size', 1);
      expect(await emptying).toBeUndefined();
      expect(await known()).toContain(old);
    });
    // A snapshot that has not read the inbox, however old, is no hindrance.
    await database.transaction(async (reader) => {
      await reader.query('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ');
      await reader.query('SELECT FROM outbox');
      expect(await empty(later)).toMatchObject({ kept: 0 });
    });
    expect(await known()).toEqual([]);
  });

  it('cost the same to forget after many turns of the slots', async () => {
    // One session: what it has read is counted at once.
    const alone = createDatabase({ url: room.databaseUrl, applicationName: 'test', poolSize: 1, log });
    const blocks: number[] = [];
    const begin = Date.now();
    for (let turn = 0; turn < 12; turn += 1) {
      const at = new Date(begin + turn * slotMs);
      const ids = Array.from({ length: 2_000 }, () => newEventId(at));
      await alone.query(
        'INSERT INTO inbox (consumer, event_id, recorded_at) SELECT $1, unnest($2::uuid[]), $3::timestamptz',
        [consumer, ids, at],
      );
      const before = await blocksOf(alone);
      await emptyNextSlot(alone, { now: at, before: new Date(at.getTime() - 8 * day) });
      blocks.push((await blocksOf(alone)) - before);
    }
    await alone.close();
    // From the eighth turn on a slot is emptied in each of them.
    const [first, ...others] = blocks.slice(8);
    expect(Math.max(...others)).toBeLessThanOrEqual(first! * 1.5);
    const [{ rows } = { rows: 0 }] = await database.query<{ rows: number }>(
      'SELECT count(*)::integer AS rows FROM inbox',
    );
    expect(rows).toBe(7 * 2_000);
  });

  it('are left alone by the cleaner of the release before, which still records and skips them', async () => {
    const ids = [newEventId(), newEventId(new Date(Date.now() - slotMs))];
    const insert =
      'INSERT INTO inbox (consumer, event_id) SELECT $1, unnest($2::uuid[]) ON CONFLICT DO NOTHING RETURNING event_id';
    expect(await database.query(insert, [consumer, ids])).toHaveLength(2);
    expect(await database.query(insert, [consumer, ids])).toHaveLength(0);
    const clean = database.query(
      'DELETE FROM inbox WHERE ctid IN (SELECT ctid FROM inbox WHERE handled_at < $2 AND consumer = $1 LIMIT 5000)',
      [consumer, new Date()],
    );
    await expect(clean).rejects.toThrow('handled_at');
    expect(await known()).toEqual([...ids].sort());
  });
});

/** Blocks of the inbox that were read or written so far. */
async function blocksOf(database: Database): Promise<number> {
  await database.query('SELECT pg_stat_force_next_flush()');
  const [row] = await database.query<{ blocks: number }>(
    `SELECT sum(heap_blks_read + heap_blks_hit + idx_blks_read + idx_blks_hit)::integer AS blocks
     FROM pg_statio_user_tables WHERE relname LIKE 'inbox\\__'`,
  );
  return row?.blocks ?? 0;
}
