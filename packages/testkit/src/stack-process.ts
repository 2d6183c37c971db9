import { execFile, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePort } from '@sabia/embedded/process/ports';
import { projectRoot } from '@sabia/embedded/project';
import type { ProcessesFile, StackFile } from '@sabia/embedded/stack/stack-file';
import { stackEnvironment } from './config';
import { eventually } from './eventually';
import { createRunHome, sharedCache, type RunHome } from './run-homes';

export interface StackProcessOptions {
  /** Default: a new one, removed by end(). */
  home?: RunHome;
  port?: number;
  gateways?: number;
  /** A real Asterisk; without it calls are simulated, which starts faster. */
  asterisk?: boolean;
  args?: readonly string[];
  /** Further environment variables for the stack and its services. */
  settings?: NodeJS.ProcessEnv;
}

/** `npm start` as a separate process. */
export interface StackProcess {
  home: RunHome;
  port: number;
  pid: number;
  /** The output so far. */
  output(): string;
  /** Resolves when stack.json is written; rejects with the output if the process ends before. */
  ready(timeoutMs?: number): Promise<StackFile>;
  signal(name: NodeJS.Signals): void;
  exited: Promise<number | NodeJS.Signals>;
  /** Stops the stack if it runs, and removes its home. */
  end(): Promise<void>;
}

export async function spawnStack(options: StackProcessOptions = {}): Promise<StackProcess> {
  const home = options.home ?? (await createRunHome('stack'));
  const port = options.port ?? (await freePort());
  const child = spawn(
    process.execPath,
    [join(projectRoot, 'packages/embedded/bin/start.mjs'), ...(options.args ?? [])],
    {
      env: stackEnvironment({
        SABIA_HOME: home.path,
        SABIA_CACHE: sharedCache,
        SABIA_PORT: String(port),
        SABIA_GATEWAYS: String(options.gateways ?? 1),
        SABIA_DURABLE: 'false',
        SABIA_SWITCH: options.asterisk ? 'asterisk' : 'simulated',
        ...options.settings,
      }),
      // A separate session, so that a Ctrl-C at the test run does not reach this stack.
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (output += text));
  let isOver = false;
  const exited = new Promise<number | NodeJS.Signals>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => {
      isOver = true;
      resolve(signal ?? code ?? 0);
    });
  });

  const { pid } = child;
  if (pid === undefined) throw new Error('the stack could not be spawned');
  return {
    home,
    port,
    pid,
    exited,
    output: () => output,
    async ready(timeoutMs = 900_000) {
      const result = await eventually(
        () => {
          if (isOver) return { failure: new Error(`the stack ended before it was ready:\n${output}`) };
          // The file may be of an earlier start.
          return readProcesses(home.path).supervisor === pid && { file: readStack(home.path) };
        },
        { timeoutMs },
      );
      if (result.failure) throw result.failure;
      return result.file;
    },
    signal: (name) => void child.kill(name),
    async end() {
      child.kill('SIGTERM');
      await exited;
      home.remove();
    },
  };
}

/** Runs `npm stop` and returns its output. */
export async function stopStack(home: string): Promise<string> {
  const command = join(projectRoot, 'packages/embedded/bin/stop.mjs');
  const { stdout } = await promisify(execFile)(process.execPath, [command], {
    env: stackEnvironment({ SABIA_HOME: home }),
  });
  return stdout;
}

export function readStack(home: string): StackFile {
  return JSON.parse(readFileSync(join(home, 'stack.json'), 'utf8')) as StackFile;
}

export function readProcesses(home: string): ProcessesFile {
  return JSON.parse(readFileSync(join(home, 'processes.json'), 'utf8')) as ProcessesFile;
}
