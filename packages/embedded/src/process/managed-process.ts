import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, fstatSync, mkdirSync, openSync, readFileSync, renameSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { ProcessRegistry } from './registry';

/** Children of a process that was killed hold its ports until they have gone, which takes long on a busy machine. */
const ORPHANS_LINGER_MS = 60_000;
/** A larger log is renamed at the next start. */
const LARGEST_OLD_LOG = 10 * 1024 * 1024;

export interface ProcessOptions {
  name: string;
  command: string;
  args: readonly string[];
  env?: NodeJS.ProcessEnv;
  cwd?: string;
  uid?: number;
  gid?: number;
  logFile: string;
  registry: ProcessRegistry;
  rank: number;
  stopSignal?: NodeJS.Signals;
  stopTimeoutMs?: number;
  /** Its children outlive it when it is killed, and hold its ports: they are killed after it. */
  leavesChildren?: boolean;
  /** Throws until the process is ready; called repeatedly. */
  ready: () => Promise<void>;
  readyTimeoutMs?: number;
  /** Called when the process ends without stop() or kill(). */
  onUnexpectedExit?: (how: string) => void;
}

/** An error that waiting does not mend; start() fails immediately. */
export class HopelessError extends Error {}

/** A child process that can be started, stopped, paused and started again. It runs in its own session, so Ctrl-C reaches only the supervisor. */
export class ManagedProcess {
  private child: ChildProcess | undefined;
  private wanted = false;
  private serving = false;
  /** Offset at which the log of the current run begins. */
  private logStart = 0;
  /** How the last run ended and what it logged last, noted at its end: the log of the next run begins at once. */
  private outcome = '';

  constructor(readonly options: ProcessOptions) {}

  get name(): string {
    return this.options.name;
  }

  get pid(): number | undefined {
    return this.child?.pid;
  }

  /** True from start() until stop() or kill(), even while the process is down. */
  get isWanted(): boolean {
    return this.wanted;
  }

  /** True from readiness until the process ends or is told to stop. */
  get isReady(): boolean {
    return this.serving;
  }

  async start(): Promise<void> {
    this.wanted = true;
    try {
      await this.restart();
    } catch (error) {
      await this.stop();
      throw error;
    }
  }

  /** As start(), but isWanted stays true after a failure, for a caller that tries again. */
  async restart(): Promise<void> {
    if (this.child) return;
    const child = this.spawn();
    await this.waitUntilReady(child);
    this.serving = this.wanted && this.child === child;
  }

  async stop(): Promise<void> {
    this.wanted = false;
    await this.end(this.options.stopSignal ?? 'SIGTERM');
  }

  /** Ends the process as a crash does (SIGKILL). It stays down until start(). */
  async kill(): Promise<void> {
    this.wanted = false;
    await this.end('SIGKILL');
  }

  pause(): void {
    this.signalFamily('SIGSTOP');
  }

  resume(): void {
    this.signalFamily('SIGCONT');
  }

  private spawn(): ChildProcess {
    const { name, command, args, env, cwd, uid, gid, logFile, registry, rank, stopSignal = 'SIGTERM' } = this.options;
    mkdirSync(dirname(logFile), { recursive: true });
    if ((statSync(logFile, { throwIfNoEntry: false })?.size ?? 0) > LARGEST_OLD_LOG)
      renameSync(logFile, `${logFile}.1`);
    // The child writes to the file itself: its log outlives the supervisor, and many lines cost the supervisor nothing.
    const log = openSync(logFile, 'a', 0o600);
    this.logStart = fstatSync(log).size;
    const child = spawn(command, args, { env, cwd, uid, gid, detached: true, stdio: ['ignore', log, log] });
    closeSync(log);
    this.child = child;
    if (child.pid !== undefined) registry.record(name, child.pid, { signal: stopSignal, rank });

    const gone = (how: string) => {
      this.outcome = `${how} while ${this.serving ? 'serving' : 'starting'}${this.lastWords()}`;
      if (this.options.leavesChildren && child.pid !== undefined) killGroup(child.pid);
      if (this.child !== child) return;
      this.child = undefined;
      this.serving = false;
      registry.forget(name);
      if (this.wanted) this.options.onUnexpectedExit?.(how);
    };
    child.once('error', (error) => gone(error.message));
    child.once('exit', (code, signal) => gone(signal ? `was ended by ${signal}` : `exited with code ${code}`));
    return child;
  }

  private async waitUntilReady(child: ChildProcess): Promise<void> {
    const { name, ready, readyTimeoutMs = 180_000 } = this.options;
    const giveUpAt = Date.now() + readyTimeoutMs;
    for (let pause = 10; ; pause = Math.min(pause * 1.5, 200)) {
      if (this.child !== child) throw new Error(`${name} ${this.outcome}`);
      try {
        return await ready();
      } catch (error) {
        if (error instanceof HopelessError) throw error;
        if (Date.now() > giveUpAt) {
          const reason = error instanceof Error ? error.message : String(error);
          const message = `${name} was not ready within ${readyTimeoutMs / 1000} s: ${reason}${this.lastWords()}`;
          throw new Error(message, { cause: error });
        }
      }
      await delay(pause);
    }
  }

  private async end(signal: NodeJS.Signals): Promise<void> {
    const child = this.child;
    this.serving = false;
    if (!child?.pid) return;
    const exited = new Promise<void>((resolve) => {
      if (child.exitCode !== null || child.signalCode !== null) resolve();
      else child.once('exit', () => resolve());
    });
    this.resume();
    const family = this.family();
    child.kill(signal);
    const insist = setTimeout(() => child.kill('SIGKILL'), this.options.stopTimeoutMs ?? 30_000);
    await exited;
    clearTimeout(insist);
    await allGone(family);
  }

  private signalFamily(signal: NodeJS.Signals): void {
    for (const pid of this.family()) {
      try {
        process.kill(pid, signal);
      } catch {
        // The child has ended meanwhile.
      }
    }
  }

  /** Finds the children by their parent: PostgreSQL's backends have sessions of their own, so a signal to the group would miss them. */
  private family(): number[] {
    const pid = this.child?.pid;
    if (pid === undefined) return [];
    try {
      const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
      return [pid, ...children.split(' ').filter(Boolean).map(Number)];
    } catch {
      return [pid];
    }
  }

  private lastWords(): string {
    try {
      const lines = readFileSync(this.options.logFile)
        .subarray(this.logStart)
        .toString('utf8')
        .trimEnd()
        .split('\n')
        .slice(-8);
      if (lines.join('') === '') return '';
      return `; the end of ${this.options.logFile}:\n  ${lines.join('\n  ')}`;
    } catch {
      return '';
    }
  }
}

/** Every process is the leader of a group of its own. */
function killGroup(leader: number): void {
  try {
    process.kill(-leader, 'SIGKILL');
  } catch {
    // All of them have ended.
  }
}

/** Waits for the children: backends of a killed PostgreSQL hold its shared memory for a moment, and a new server does not start before. */
async function allGone(pids: number[]): Promise<void> {
  const giveUpAt = Date.now() + ORPHANS_LINGER_MS;
  while (pids.some(exists) && Date.now() < giveUpAt) await delay(10);
}

function exists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
