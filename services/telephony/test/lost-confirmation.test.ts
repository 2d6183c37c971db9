import { createDatabase } from '@sabia/service-kit/postgres/database';
import type { Database } from '@sabia/service-kit/postgres/database';
import { createLogger } from '@sabia/service-kit/logging';
import { createTestDatabase } from '@sabia/testkit/database';
import { createPlacement } from '../src/switch/placement';
import type { CallToPlace } from '../src/switch/placement';

let home: Awaited<ReturnType<typeof createTestDatabase>>;
let database: Database;
const log = createLogger({ name: 'telephony', level: 'silent' });

beforeAll(async () => {
  home = await createTestDatabase('telephony');
  database = createDatabase({ url: home.url, applicationName: 'test', poolSize: 4, log });
});

afterAll(async () => {
  await database?.close();
  await home?.drop();
});

const call = (to: string): CallToPlace => ({
  ...{
    dialId: null,
    accountId: 7,
    userId: 1,
    domain: 'd.example',
    timeZone: 'UTC',
    type: 'outbound',
    from: '1000',
    to,
  },
  ...{
    email: '',
    firstName: '',
    lastName: '',
    bina: null,
    metadata: '{}',
    record: false,
    ramal: '1000',
    aChannel: null,
  },
});

/** The database commits, and the connection breaks before it can say so. */
function loseConfirmation(of: (calls: number) => boolean): Database {
  const query: Database['query'] = async (text, values, options) => {
    const rows = await database.query(text, values, options);
    if (options?.name === 'insert-calls' && of((values?.[0] as string[]).length)) {
      throw Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' });
    }
    return rows as never;
  };
  return { ...database, query };
}

test('calls written together whose confirmation got lost are placed once, accepted, and keep their credit', async () => {
  const released: string[] = [];
  const placement = createPlacement({
    database: loseConfirmation((calls) => calls > 1),
    outbox: { write: () => Promise.resolve(), poke: () => undefined },
    billing: { reserve: () => Promise.resolve(60), release: (id) => Promise.resolve(void released.push(id)) },
    switchName: 'simulated',
    policy: {
      ringSeconds: 45,
      extendSeconds: 60,
      extendLeadSeconds: 20,
      maximumSeconds: 3600,
      warningSeconds: 10,
      hangupSeconds: 5,
    },
    maximumLiveCalls: 0,
    log,
    now: () => new Date(),
    onPlaced: () => undefined,
  });
  const placed = await Promise.all(
    ['551155500101', '551155500102', '551155500103'].map((to) => placement.place(call(to))),
  );
  const rows = await database.query<{ id: string }>('SELECT id FROM calls ORDER BY id');
  expect(rows.map(({ id }) => id)).toEqual(placed.map((one) => one?.id).sort());
  expect(released).toEqual([]);
  expect(await database.query('SELECT sum(total) AS total FROM call_counters')).toEqual([{ total: '3' }]);
});
