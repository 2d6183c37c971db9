import { randomUUID } from 'node:crypto';
import { newEventId } from '@sabia/service-kit/events/outbox';
import { createReservationSweep } from '../src/placing/reservation-sweep';
import { callToPlace, openPlacement, useOwnDatabase } from './placing-stage';
import { silent as log } from './stage';

const home = useOwnDatabase();

/** Reservations as billing lists them: all of them are old enough. */
function openBilling() {
  const open = new Map<string, Date>();
  const asked: (Date | undefined)[] = [];
  let away = false;
  return {
    open,
    asked,
    setAway: (value: boolean) => void (away = value),
    async reserve({ callId }: { callId: string }): Promise<number> {
      open.set(callId, new Date(Date.now() + open.size));
      return 60;
    },
    async release(callId: string): Promise<void> {
      if (away) throw new Error('the database of billing is full, too');
      open.delete(callId);
    },
    async listOpen({ from = new Date(0) }: { from?: Date }) {
      asked.push(from);
      return [...open]
        .map(([callId, createdAt]) => ({ callId, createdAt }))
        .filter(({ createdAt }) => createdAt >= from)
        .sort((a, b) => a.createdAt.getTime() - b.createdAt.getTime());
    },
  };
}

/** PostgreSQL answers as it does on a full disk. */
async function withFullDisk(work: () => Promise<void>): Promise<void> {
  await home.database.query(`CREATE FUNCTION no_space() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = '53100'; END $$`);
  await home.database.query(
    'CREATE TRIGGER no_space BEFORE INSERT ON calls_current FOR EACH STATEMENT EXECUTE FUNCTION no_space()',
  );
  try {
    await work();
  } finally {
    await home.database.query('DROP TRIGGER no_space ON calls_current');
    await home.database.query('DROP FUNCTION no_space()');
  }
}

test('the credit of a call that a full database refuses is released at once', async () => {
  const billing = openBilling();
  await withFullDisk(async () => {
    await expect(openPlacement({ database: home.database, billing }).place(callToPlace({}))).rejects.toMatchObject({
      kind: expect.anything(),
    });
  });
  expect(billing.open.size).toBe(0);
});

test('credit that could not be released is found later, and live calls keep theirs', async () => {
  const billing = openBilling();
  const sweep = createReservationSweep({ database: home.database, billing, log });
  billing.setAway(true);
  await withFullDisk(async () => {
    await expect(openPlacement({ database: home.database, billing }).place(callToPlace({}))).rejects.toThrow();
  });
  const placed = await openPlacement({ database: home.database, billing }).place(callToPlace({}));
  // Of a process that was killed between the two.
  await billing.reserve({ callId: randomUUID() });
  expect(billing.open.size).toBe(3);
  await expect(sweep()).rejects.toThrow('full, too');
  billing.setAway(false);
  await sweep();
  expect([...billing.open.keys()]).toEqual([placed.id]);
});

test('a reservation is checked until it is settled, and then no more', async () => {
  const billing = openBilling();
  const sweep = createReservationSweep({ database: home.database, billing, log });
  const first = await openPlacement({ database: home.database, billing }).place(callToPlace({}));
  const second = await openPlacement({ database: home.database, billing }).place(callToPlace({}));
  await sweep();
  await sweep();
  expect(billing.asked.at(-1)).toEqual(billing.open.get(second.id));
  expect([...billing.open.keys()]).toEqual([first.id, second.id]);
});

test('a call that is still being written keeps its credit, however long that takes', async () => {
  const billing = openBilling();
  const callId = newEventId();
  await billing.reserve({ callId });
  const insert = `INSERT INTO calls (id, account_id, user_id, domain, time_zone, call_type, status, from_number, to_number,
      started_at, email, first_name, last_name, metadata, record)
    VALUES ($1, 7, 1, 'd.example', 'UTC', 'outbound', 'queued', '1000', '5511', now(), '', '', '', '{}', false)`;
  await home.database.transaction(async (tx) => {
    await tx.query(insert, [callId]);
    // As after so many seconds: what has been written for any time at all counts.
    await createReservationSweep({ database: home.database, billing, log, longestPlacingSeconds: 0 })();
    expect(billing.open.has(callId)).toBe(true);
  });
  await createReservationSweep({ database: home.database, billing, log })();
  expect(billing.open.has(callId)).toBe(true);
});

test('a call that would be written too late is not written', async () => {
  const billing = openBilling();
  let time = Date.now();
  const reserve = async (call: { callId: string }): Promise<number> => {
    time += 16_000;
    return billing.reserve(call);
  };
  const placement = openPlacement({
    database: home.database,
    billing: { ...billing, reserve },
    now: () => new Date(time),
  });
  await expect(placement.place(callToPlace({}))).rejects.toMatchObject({ message: expect.stringContaining('in time') });
  expect(billing.open.size).toBe(0);
});
