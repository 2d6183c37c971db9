/** How the jest set-up, which starts servers once, tells the test files where they are. */
export interface TestServers {
  postgresUrl: string;
  natsUrl: string;
  redisUrl: string;
}

const SERVERS = 'SABIA_TEST_SERVERS';
const STACK = 'SABIA_TEST_STACK';
const SPARE_CARRIER = 'SABIA_TEST_SPARE_CARRIER';

export function publishTestServers(servers: TestServers): void {
  process.env[SERVERS] = JSON.stringify(servers);
}

/** The servers of this test run, started by the set-up of the integration project. */
export function testServers(): TestServers {
  const value = process.env[SERVERS];
  if (!value)
    throw new Error(
      'no test servers: run this file in the integration project (npx jest --selectProjects integration)',
    );
  return JSON.parse(value) as TestServers;
}

export function publishTestStack(home: string): void {
  process.env[STACK] = home;
}

/** The home of the whole stack that the set-up of the acceptance project started. */
export function testStackHome(): string {
  const value = process.env[STACK];
  if (!value)
    throw new Error('no test stack: run this file in the acceptance project (npx jest --selectProjects acceptance)');
  return value;
}

/** The second trunk of that stack, declared as an operator declares one. Nobody is there until a test is. */
export interface SpareCarrier {
  port: number;
  username: string;
  password: string;
  callerId: string;
}

export function publishSpareCarrier(carrier: SpareCarrier): void {
  process.env[SPARE_CARRIER] = JSON.stringify(carrier);
}

export function spareCarrier(): SpareCarrier {
  return JSON.parse(process.env[SPARE_CARRIER] ?? '{}') as SpareCarrier;
}

/** Nothing of the person's own settings of a stack reaches a stack under test. */
export function stackEnvironment(settings: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('SABIA_'));
  return { ...Object.fromEntries(inherited), ...settings };
}
