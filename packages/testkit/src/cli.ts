import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { projectRoot } from '@sabia/embedded/project';
import { stackEnvironment } from './config';
import { anyAddress } from './stack-client';

export interface CliResult {
  code: number | null;
  stdout: string;
  stderr: string;
}

export interface RunningCli {
  process: ChildProcess;
  /** The output so far. */
  stdout(): string;
  stderr(): string;
  ended: Promise<CliResult>;
}

/** `sabia` with a folder of its own for credentials and positions, and an address for each process, because of rate limits. */
export interface Cli {
  readonly folder: string;
  start(args: readonly string[], settings?: NodeJS.ProcessEnv): RunningCli;
  run(args: readonly string[], settings?: NodeJS.ProcessEnv): Promise<CliResult>;
  /** The output of a command with --json. */
  json<T>(...args: string[]): Promise<T>;
  remove(): void;
}

export function createCli(gatewayUrl: string): Cli {
  const folder = mkdtempSync(join(tmpdir(), 'sabia-cli-'));

  function start(args: readonly string[], settings: NodeJS.ProcessEnv = {}): RunningCli {
    const env = stackEnvironment({
      SABIA_CONFIG_DIR: folder,
      SABIA_URL: gatewayUrl,
      SABIA_HOME: folder,
      SABIA_LANG: 'en',
      SABIA_HEADERS: `X-Forwarded-For: ${anyAddress()}`,
      ...settings,
    });
    const child = spawn(process.execPath, [join(projectRoot, 'packages/cli/bin/sabia.cjs'), ...args], {
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
    const ended = new Promise<CliResult>((resolve) => child.once('close', (code) => resolve({ code, stdout, stderr })));
    return { process: child, stdout: () => stdout, stderr: () => stderr, ended };
  }

  const run: Cli['run'] = (args, settings) => start(args, settings).ended;
  return {
    folder,
    start,
    run,
    async json<T>(...args: string[]) {
      const { code, stdout, stderr } = await run([...args, '--json']);
      if (code !== 0) throw new Error(`sabia ${args.join(' ')} ended with ${code}: ${stderr}`);
      return JSON.parse(stdout) as T;
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
