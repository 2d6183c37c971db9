import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { cpuSecondsOf, megabytesOf } from './process-usage';
import { freePort } from './free-port';

export interface BenchStack {
  /** The folder of all its data. */
  home: string;
  gatewayUrl: string;
  mailboxUrl: string;
  postgresUrl: string;
  natsUrl: string;
  redisUrl: string;
  /** The port on which a test carrier must listen. */
  carrierPort: number;
  /** Without Asterisk there is none. */
  sip: { udp: string } | null;
  email: string;
  password: string;
  token: string;
  domain: string;
  /** Where the gRPC of a service is. */
  grpcOf(service: string): string;
  /** CPU time that all its processes have used so far; undefined where the system does not tell. */
  cpuSeconds(): number | undefined;
  /** Memory of all its processes; undefined where the system does not tell. */
  megabytes(): number | undefined;
  /** The id of a process of this stack, by its name. */
  pidOf(name: string): number;
  /** Signals a process of this stack, by its name. */
  signal(name: string, signal: NodeJS.Signals): void;
  close(): Promise<void>;
}

export type OpenStack = () => Promise<BenchStack>;

/** Thrown by an entry that needs a part that this stack does not have. */
export class LeftOut extends Error {}

export async function withAsterisk(openStack: OpenStack): Promise<BenchStack & { sip: { udp: string } }> {
  const stack = await openStack();
  if (stack.sip === null) throw new LeftOut('this stack runs without Asterisk');
  return { ...stack, sip: stack.sip };
}

const unlimited = '1000000000';
/** The carrier is asked for these numbers without an edge. */
export const DIRECT_PREFIX = '5521';

export interface StartOptions {
  home?: string;
  environment?: NodeJS.ProcessEnv;
  /** It begins with what is in its home, and leaves it there. */
  isKept?: boolean;
}

/**
 * A whole stack of its own beside any that is running, started by the same command a newcomer uses.
 * Only the rate limits are lifted: they would be what is measured.
 */
export async function startStack(
  root: string,
  port: number,
  { home = join(root, '.sabia', 'bench'), environment = {}, isKept = false }: StartOptions = {},
): Promise<BenchStack> {
  const carrierPort = await freePort();
  const env: NodeJS.ProcessEnv = {
    ...process.env,
    SABIA_HOME: home,
    SABIA_CACHE: process.env.SABIA_CACHE ?? join(dirname(home), 'cache'),
    SABIA_PORT: String(port),
    LOG_LEVEL: 'warn',
    ...environment,
  };
  // A simulated switch has no trunks. To the tree of an older commit these would be a configuration that it refuses.
  if (env.SABIA_SWITCH !== 'simulated') env.TRUNKS = trunksTo(carrierPort);
  for (const limit of ['PLACE_CALL', 'DIALER', 'HANGUP', 'LIST_CALLS', 'LOGIN', 'OTHER'])
    env[`RATE_LIMIT_${limit}`] = unlimited;
  env.EVENT_STREAMS_PER_USER = unlimited;

  const options = isKept ? [] : ['--fresh'];
  const child = spawn(process.execPath, [join(root, 'packages/embedded/bin/start.mjs'), ...options], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  child.stdout.resume();
  await waitForFile(join(home, 'stack.json'), () => {
    const { exitCode, signalCode } = child;
    const end = exitCode ?? signalCode;
    if (end !== null) throw new Error(`the stack ended with ${end} before it was ready`);
  });
  const described = JSON.parse(await readFile(join(home, 'stack.json'), 'utf8')) as StackFile;
  const pidOf = (name: string): number =>
    (JSON.parse(readFileSync(join(home, 'run', `${name}.pid.json`), 'utf8')) as { pid: number }).pid;
  return {
    home,
    carrierPort,
    ...described,
    ...described.demo,
    grpcOf: (service) => described.services.find(({ name }) => name === service)?.grpc ?? '',
    cpuSeconds: () => cpuSecondsOf(child.pid!),
    megabytes: () => megabytesOf(child.pid!),
    pidOf,
    signal: (name, signal) => void process.kill(pidOf(name), signal),
    close: async () => {
      child.kill('SIGTERM');
      await exited;
      if (!isKept) await rm(home, { recursive: true, force: true });
    },
  };
}

interface StackFile {
  gatewayUrl: string;
  mailboxUrl: string;
  postgresUrl: string;
  natsUrl: string;
  redisUrl: string;
  sip: { udp: string } | null;
  demo: { email: string; password: string; token: string; domain: string };
  services: { name: string; grpc: string }[];
}

/** The carrier comes and goes with each trial: Asterisk must not remember that it was away. */
function trunksTo(carrierPort: number): string {
  const carrier = { server: `127.0.0.1:${carrierPort}`, qualifySeconds: 0 };
  const routes = [{ prefix: DIRECT_PREFIX, costPerMinute: 0 }];
  return JSON.stringify([
    { ...carrier, name: 'bench' },
    { ...carrier, name: 'bench-direct', direct: true, routes },
  ]);
}

async function waitForFile(path: string, check: () => void): Promise<void> {
  for (;;) {
    check();
    const found = await readFile(path, 'utf8').then(
      () => true,
      () => false,
    );
    if (found) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
