import { createDatabase } from '@sabia/service-kit/postgres/database';
import type { Database, Queryable } from '@sabia/service-kit/postgres/database';
import { createTestDatabase } from '@sabia/testkit/database';
import type { TestDatabase } from '@sabia/testkit/database';
import { patient } from '@sabia/testkit/patient';
import type { TimePolicy } from '../src/domain/live-call';
import { createPlacement } from '../src/placing/placement';
import type { CallToPlace, Placement, PlacementOptions } from '../src/placing/placement';
import { silent } from './stage';

export const policy: TimePolicy = {
  ...{ ringSeconds: 45, maximumSeconds: 3600, extendSeconds: 60 },
  ...{ extendLeadSeconds: 20, warningSeconds: 10, hangupSeconds: 5 },
};

export const callToPlace = (over: Partial<CallToPlace>): CallToPlace => ({
  ...{ dialId: null, accountId: 7, userId: 1, domain: 'd.example', timeZone: 'UTC', type: 'outbound', from: '1000' },
  ...{
    to: '551155500101',
    called: null,
    email: '',
    firstName: '',
    lastName: '',
    bina: null,
    metadata: '{}',
    record: false,
  },
  ...{ ramal: '1000', aChannel: null },
  ...over,
});

/** Places calls on the simulated switch, with credit for a minute each; nobody drives it here. */
export const openPlacement = (over: Pick<PlacementOptions, 'database'> & Partial<PlacementOptions>): Placement =>
  createPlacement({
    waiting: { routeTo: () => [], seconds: 60 },
    outbox: { poke: () => undefined },
    billing: { reserve: () => Promise.resolve(60), release: () => Promise.resolve() },
    loads: { choose: () => 'simulated' },
    policy,
    maximumLiveCalls: 0,
    log: silent,
    now: () => new Date(),
    takers: new Map(),
    onPlaced: () => undefined,
    ...over,
  });

/** The database, with something that happens between the commit of calls and its confirmation. */
export function onCommit(database: Database, happen: (callIds: string[]) => unknown): Database {
  const noting = <Q extends Queryable>(on: Q, inserted: string[]): Q => ({
    ...on,
    query(text, values, options) {
      if (options?.name === 'insert-calls') inserted.push(...(values![0] as string[]));
      return on.query(text, values, options);
    },
  });
  const after = async <T>(work: (inserted: string[]) => Promise<T>): Promise<T> => {
    const inserted: string[] = [];
    const result = await work(inserted);
    if (inserted.length > 0) await happen(inserted);
    return result;
  };
  return {
    ...database,
    query: (text, values, options) => after((inserted) => noting(database, inserted).query(text, values, options)),
    transaction: (work) => after((inserted) => database.transaction((tx) => work(noting(tx, inserted)))),
  };
}

/** For the tests of one file: the database of a service that does not run. */
export function useOwnDatabase(): { readonly database: Database } {
  let home: TestDatabase;
  let database: Database;

  beforeAll(async () => {
    home = await createTestDatabase('telephony');
    database = createDatabase({ ...patient, url: home.url, applicationName: 'test', poolSize: 4, log: silent });
  });

  afterAll(async () => {
    await database?.close();
    await home?.drop();
  });

  return {
    get database() {
      return database;
    },
  };
}
