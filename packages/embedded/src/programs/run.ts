import { spawn } from 'node:child_process';

export interface RunOptions {
  env?: NodeJS.ProcessEnv;
  cwd?: string;
  uid?: number;
  gid?: number;
  signal?: AbortSignal;
  /** Lines that the program writes to file descriptor 3. */
  onStatus?: (line: string) => void;
}

/** Runs a program to its end and returns its output; if it fails, its error output becomes the error's message. */
export async function run(command: string, args: readonly string[], options: RunOptions = {}): Promise<string> {
  const { onStatus, ...rest } = options;
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { ...rest, stdio: ['ignore', 'pipe', 'pipe', onStatus ? 'pipe' : 'ignore'] });
    let output = '';
    let complaint = '';
    child.stdout?.setEncoding('utf8').on('data', (text: string) => (output += text));
    child.stderr?.setEncoding('utf8').on('data', (text: string) => (complaint += text));
    const status = child.stdio[3];
    if (onStatus && status && 'on' in status) {
      status.on('data', (chunk: Buffer) => chunk.toString('utf8').split('\n').filter(Boolean).forEach(onStatus));
    }
    child.once('error', (error: NodeJS.ErrnoException) => {
      reject(error.code === 'ENOENT' ? new Error(`there is no ${command} on this machine`, { cause: error }) : error);
    });
    child.once('close', (code, signal) => {
      if (code === 0) return resolve(output);
      const reason = complaint.trim() || output.trim() || 'no message';
      reject(new Error(`${command} failed (${signal ?? `code ${code}`}): ${reason}`));
    });
  });
}
