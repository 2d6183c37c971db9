import { randomInt } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { balanceGateways, type SentRequest } from './balanced-gateways';
import { areTimesStrict } from './config';

/** A user of the load, with the extensions to call from. */
export interface LoadUser {
  token: string;
  extensions: string[];
}

export interface LoadOptions {
  gatewayUrls: readonly string[];
  users: readonly LoadUser[];
  /** Numbers that calls are placed to. */
  called: readonly string[];
  workers?: number;
}

export interface SteadyLoad {
  sent(): number;
  /** Requests that failed or had an unexpected answer. */
  failures: readonly string[];
  /** Ids of the calls that were accepted. */
  calls: readonly string[];
  /** Resolves when no request is under way any more. */
  stop(): Promise<void>;
}

/** How long a worker waits after each answer: the load is there all the time and leaves the processor to what is tested. */
const PAUSE_MS = areTimesStrict() ? 0 : 100;
/** Stays below 15 requests a minute. */
const PAUSE_OF_LIMITED_MS = 4_500;

/** Sends a usual mix of requests to every service, from many addresses and within the rate limits. A failed request is not repeated. */
export async function startSteadyLoad(options: LoadOptions): Promise<SteadyLoad> {
  const { users, called, workers = 16 } = options;
  const gateways = await balanceGateways(options.gatewayUrls);
  const failures: string[] = [];
  const calls: string[] = [];
  let sent = 0;
  let stopping = false;

  const callers = users.flatMap(({ token, extensions }) => extensions.map((extension) => ({ token, extension })));
  const nextCaller = taking(callers, PAUSE_OF_LIMITED_MS);
  const nextReader = taking(users, PAUSE_OF_LIMITED_MS);

  const anyone = (): string => oneOf(users).token;
  const placeCall = (): Task => {
    const caller = nextCaller();
    if (!caller) return readMe();
    const { token, extension } = caller;
    const body = { caller: extension, extension, called: oneOf(called) };
    return { method: 'POST', path: '/calls', token, body, done: (answer) => calls.push((answer as { id: string }).id) };
  };
  const listCalls = (): Task => {
    const reader = nextReader();
    return reader ? { method: 'GET', path: '/calls', token: reader.token } : readMe();
  };
  const readMe = (): Task => ({ method: 'GET', path: '/users/me', token: anyone() });
  const readCall = (): Task =>
    calls.length === 0 ? readMe() : { method: 'GET', path: `/calls/${oneOf(calls)}`, token: anyone() };
  const createExtension = (): Task => ({
    ...{ method: 'POST', path: '/extensions/next-available', token: anyone() },
    body: {
      first_name: 'Ana',
      last_name: 'Lima',
      email_address: 'ana@example.com',
      senha: `segredo-${randomInt(1e8, 1e9)}`,
    },
  });
  const mix: [number, () => Task][] = [
    [70, readMe],
    [6, placeCall],
    [8, readCall],
    [5, () => ({ method: 'GET', path: '/charges', token: anyone() })],
    [5, () => ({ method: 'GET', path: '/integrations', token: anyone() })],
    [4, listCalls],
    [2, createExtension],
  ];

  const work = async (): Promise<void> => {
    const connection = gateways.connect();
    while (!stopping) {
      const { done, ...task } = weighted(mix)();
      const label = `${new Date().toISOString()} ${task.method} ${task.path}`;
      sent += 1;
      try {
        const answer = await connection.send({ ...task, address: anyAddress() });
        if (answer.status === 200) done?.(answer.body);
        else failures.push(`${label} → ${answer.status} ${answer.text.slice(0, 300)}`);
      } catch (error) {
        failures.push(`${label} → ${error instanceof Error ? error.message : String(error)}`);
      }
      await delay(PAUSE_MS);
    }
    connection.close();
  };
  const working = Promise.all(Array.from({ length: workers }, work));

  return {
    sent: () => sent,
    failures,
    calls,
    async stop() {
      stopping = true;
      await working;
      gateways.close();
    },
  };
}

type Task = Omit<SentRequest, 'address'> & { done?: (body: unknown) => void };

/** Returns the items in turn, each at most once in a pause. */
function taking<T>(all: readonly T[], pauseMs: number): () => T | undefined {
  const queue = all.map((one) => ({ one, freeAt: 0 }));
  return () => {
    const next = queue[0];
    if (!next || next.freeAt > Date.now()) return undefined;
    queue.shift();
    queue.push({ one: next.one, freeAt: Date.now() + pauseMs });
    return next.one;
  };
}

function weighted<T>(choices: [number, T][]): T {
  let left = Math.random() * choices.reduce((sum, [weight]) => sum + weight, 0);
  for (const [weight, choice] of choices) {
    left -= weight;
    if (left < 0) return choice;
  }
  return choices[0]![1];
}

function oneOf<T>(all: readonly T[]): T {
  return all[randomInt(all.length)]!;
}

function anyAddress(): string {
  return `10.${randomInt(256)}.${randomInt(256)}.${randomInt(1, 255)}`;
}
