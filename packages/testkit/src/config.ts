import { resolve } from 'node:path';
import { projectRoot } from '@sabia/embedded/project';

/** The servers a test file works with. */
export interface TestServers {
  postgresUrl: string;
  natsUrl: string;
  redisUrl: string;
}

/** How the jest set-up, which starts servers once, tells the test files where they are. */
export interface PublishedServers {
  /** Shared: each test file has a database of its own. */
  postgresUrl: string;
  /** One entry per jest worker. Durable consumers and Redis keys have the same names in all test files, so files that run at once need separate servers. */
  workers: readonly { natsUrl: string; redisUrl: string }[];
}

const SERVERS = 'SABIA_TEST_SERVERS';
const STACK = 'SABIA_TEST_STACK';
const SPARE_CARRIER = 'SABIA_TEST_SPARE_CARRIER';

export function publishTestServers(servers: PublishedServers): void {
  process.env[SERVERS] = JSON.stringify(servers);
}

/** The servers of this test run, started by the set-up of the integration project. */
export function testServers(): TestServers {
  const value = process.env[SERVERS];
  if (!value) throw new Error('no test servers: only files of the integration project have them');
  const { postgresUrl, workers } = JSON.parse(value) as PublishedServers;
  const own = workers[Number(process.env.JEST_WORKER_ID) - 1];
  if (!own) throw new Error(`no test servers for worker ${process.env.JEST_WORKER_ID} of ${workers.length}`);
  return { postgresUrl, ...own };
}

export function publishTestStack(home: string): void {
  process.env[STACK] = home;
}

/** The home of the whole stack that the set-up of the acceptance project started. */
export function testStackHome(): string {
  const value = process.env[STACK];
  if (!value) throw new Error('no test stack: only files of the acceptance project have one');
  return value;
}

/** The second trunk of that stack. Its carrier does not answer until a test starts one. */
export interface SpareCarrier {
  port: number;
  username: string;
  password: string;
  callerId: string;
  /** The third trunk, for numbers that begin so: a phone that a test starts. */
  mobile: { port: number; prefix: string };
}

export function publishSpareCarrier(carrier: SpareCarrier): void {
  process.env[SPARE_CARRIER] = JSON.stringify(carrier);
}

export function spareCarrier(): SpareCarrier {
  return JSON.parse(process.env[SPARE_CARRIER] ?? '{}') as SpareCarrier;
}

/** How many nodes and edges the stack has that acceptance tests share. */
export function testFleet(): { switches: number; edges: number } {
  return { switches: numberOf('SABIA_TEST_SWITCHES', 1), edges: numberOf('SABIA_TEST_EDGES', 1) };
}

/** How many calls are up when a part of a fleet is lost. A continuous integration has no time for more. */
export function testFleetCalls(): number {
  return numberOf('SABIA_TEST_FLEET_CALLS', 24);
}

/** Whether times that users are promised must be kept exactly. */
export function areTimesStrict(): boolean {
  return numberOf('SABIA_TEST_STRICT', 0) === 1;
}

/** Whether the homes of stacks and servers are kept after a run: their logs and data explain a failure that does not come back at will. */
export function areHomesKept(): boolean {
  return numberOf('SABIA_TEST_KEEP', 0) === 1;
}

/** Whether pictures of pages are kept for people to look at; taking them costs more than looking for faults does. */
export function areScreenshotsTaken(): boolean {
  return numberOf('SABIA_TEST_SCREENSHOTS', 0) === 1;
}

const numberOf = (name: string, otherwise: number): number => Number(process.env[name]?.trim() || otherwise);

/** The environment of a stack under test, without the developer's own SABIA_ settings. */
export function stackEnvironment(settings: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('SABIA_'));
  return { ...Object.fromEntries(inherited), ...settings };
}

/** Where `npm start` keeps the files of its stack. */
export function startedStackHome(): string {
  return resolve(projectRoot, process.env.SABIA_HOME?.trim() || '.sabia');
}
