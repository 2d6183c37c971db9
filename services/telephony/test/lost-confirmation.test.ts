import type { Database } from '@sabia/service-kit/postgres/database';
import { callToPlace, onCommit, openPlacement, useOwnDatabase } from './placing-stage';

const home = useOwnDatabase();
const call = (to: string) => callToPlace({ to });

const reset = () => Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' });

/** The database commits, and something happens before it can say so. */
const loseConfirmation = (of: (calls: number) => boolean, failure: () => Error = reset): Database =>
  onCommit(home.database, ({ length }) => {
    if (of(length)) throw failure();
  });

/** Nothing is written, and it cannot be asked what is. */
function failing(failures: Record<string, () => Error>): Database {
  const query: Database['query'] = (text, values, options) => {
    const failure = failures[options?.name ?? ''];
    return failure === undefined ? home.database.query(text, values, options) : Promise.reject(failure());
  };
  return { ...home.database, query };
}

function openOver(database: Database) {
  const released: string[] = [];
  const release = (id: string): Promise<void> => Promise.resolve(void released.push(id));
  return { placement: openPlacement({ database, billing: { reserve: () => Promise.resolve(60), release } }), released };
}

test('calls written together whose confirmation got lost are placed once, accepted, and keep their credit', async () => {
  const { placement, released } = openOver(loseConfirmation((calls) => calls > 1));
  const placed = await Promise.all(
    ['551155500101', '551155500102', '551155500103'].map((to) => placement.place(call(to))),
  );
  const rows = await home.database.query<{ id: string }>('SELECT id FROM calls ORDER BY id');
  expect(rows.map(({ id }) => id)).toEqual(placed.map((one) => one.id).sort());
  expect(released).toEqual([]);
  expect(await home.database.query('SELECT sum(total) AS total FROM call_counters')).toEqual([{ total: '3' }]);
});

test('a call that was over before it was known to be placed is not placed again', async () => {
  const over = onCommit(home.database, async ({ length }) => {
    if (length === 1) return;
    await home.database.query('DELETE FROM live_calls');
    await home.database.query(
      `UPDATE calls SET status = 'ended', ended_at = now(), duration = 0, hangup_cause = 'USER_BUSY', hangup_cause_code = '17',
         minute_price = 0, call_price = 0, is_final = true`,
    );
    throw reset();
  });
  const { placement } = openOver(over);
  const placed = await Promise.all(['551155500101', '551155500102'].map((to) => placement.place(call(to))));
  const rows = await home.database.query<{ id: string }>('SELECT id FROM calls WHERE id = ANY ($1::uuid[])', [
    placed.map(({ id }) => id),
  ]);
  expect(rows).toHaveLength(2);
  expect(await home.database.query('SELECT FROM live_calls')).toEqual([]);
});

test.each([
  ['the connection breaks', reset],
  ['its request is given up', () => new Error('the client has gone')],
])('a call that is committed although %s is accepted and keeps its credit', async (_name, failure) => {
  const { placement, released } = openOver(loseConfirmation(() => true, failure));
  const placed = await placement.place(call('551155500101'));
  expect(await home.database.query('SELECT id FROM calls WHERE id = $1', [placed.id])).toHaveLength(1);
  expect(released).toEqual([]);
});

test('credit is released only for a call that certainly does not exist', async () => {
  const refused = () => new Error('no such thing');
  const known = openOver(failing({ 'insert-calls': refused }));
  await expect(known.placement.place(call('551155500101'))).rejects.toThrow('no such thing');
  expect(known.released).toHaveLength(1);
  const unknown = openOver(failing({ 'insert-calls': refused, 'is-placed': reset }));
  await expect(unknown.placement.place(call('551155500101'))).rejects.toThrow('no such thing');
  expect(unknown.released).toEqual([]);
});
