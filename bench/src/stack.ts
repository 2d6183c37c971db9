import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';

export interface BenchStack {
  gatewayUrl: string;
  mailboxUrl: string;
  postgresUrl: string;
  natsUrl: string;
  redisUrl: string;
  /** Without Asterisk there is none. */
  sip: { udp: string } | null;
  email: string;
  password: string;
  token: string;
  close(): Promise<void>;
}

const unlimited = '1000000000';

/**
 * A whole stack of its own beside any that is running, started by the same command a newcomer uses.
 * Only the rate limits are lifted: they would be what is measured.
 */
export async function startStack(root: string, port: number): Promise<BenchStack> {
  const home = join(root, '.sabia', 'bench');
  const env: NodeJS.ProcessEnv = {
    ...process.env,
    SABIA_HOME: home,
    SABIA_CACHE: process.env.SABIA_CACHE ?? join(root, '.sabia', 'cache'),
    SABIA_PORT: String(port),
    LOG_LEVEL: 'warn',
  };
  for (const limit of ['PLACE_CALL', 'DIALER', 'HANGUP', 'LIST_CALLS', 'LOGIN', 'OTHER'])
    env[`RATE_LIMIT_${limit}`] = unlimited;

  const child = spawn(process.execPath, [join(root, 'packages/embedded/bin/start.mjs'), '--fresh'], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  child.stdout.resume();
  await Promise.race([
    waitForFile(join(home, 'stack.json')),
    exited.then(([code]) => {
      throw new Error(`the stack ended with code ${String(code)} before it was ready`);
    }),
  ]);
  const described = JSON.parse(await readFile(join(home, 'stack.json'), 'utf8')) as StackFile;
  return {
    ...described,
    ...described.demo,
    close: async () => {
      child.kill('SIGTERM');
      await exited;
      await rm(home, { recursive: true, force: true });
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
}

async function waitForFile(path: string): Promise<void> {
  for (;;) {
    const found = await readFile(path, 'utf8').then(
      () => true,
      () => false,
    );
    if (found) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
