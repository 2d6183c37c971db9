import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { projectRoot } from '@sabia/embedded/project';
import { stackEnvironment } from '../config';

export interface ExampleLanguage {
  name: string;
  /** As fences and interpreters are named. */
  fence: 'js' | 'python' | 'php' | 'go';
  files: { clickToCall: string; receiver: string; dialer: string };
}

export const exampleLanguages: ExampleLanguage[] = [
  { name: 'Node', fence: 'js', files: filesOf('node', 'mjs', '-') },
  { name: 'Python', fence: 'python', files: filesOf('python', 'py', '_') },
  { name: 'PHP', fence: 'php', files: filesOf('php', 'php', '-') },
  { name: 'Go', fence: 'go', files: filesOf('go', 'go', '-') },
];

function filesOf(folder: string, ending: string, dash: string): ExampleLanguage['files'] {
  const file = (...words: string[]): string => join(projectRoot, 'examples', folder, `${words.join(dash)}.${ending}`);
  return {
    clickToCall: file('click', 'to', 'call'),
    receiver: file('webhook', 'receiver'),
    dialer: file('dialer'),
  };
}

/** A running example. */
export interface ExampleProgram {
  output(): string;
  /** The exit code, once it has ended. */
  ended: Promise<number | null>;
}

export interface ExamplePrograms {
  start(language: ExampleLanguage, file: string, env: Record<string, string>, args?: string[]): Promise<ExampleProgram>;
  stop(): void;
}

/** Starts examples as their README says, and ends those that are left. */
export function createExamplePrograms(): ExamplePrograms {
  const folder = mkdtempSync(join(tmpdir(), 'sabia-examples-'));
  const running: ChildProcess[] = [];

  async function commandOf({ fence }: ExampleLanguage, file: string, port: string | undefined): Promise<string[]> {
    switch (fence) {
      case 'js':
        return [process.execPath, file];
      case 'python':
        return ['python3', file];
      case 'php':
        return port === undefined ? ['php', file] : ['php', '-S', `127.0.0.1:${port}`, file];
      case 'go': {
        // `go run` would leave the program behind when it is ended.
        const program = join(folder, 'program');
        await promisify(execFile)('go', ['build', '-o', program, file], { env: stackEnvironment({}) });
        return [program];
      }
    }
  }

  return {
    async start(language, file, env, args = []) {
      const [program, ...first] = await commandOf(language, file, env['PORT']);
      const child = spawn(program!, [...first, ...args], {
        env: stackEnvironment(env),
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      running.push(child);
      let output = '';
      for (const stream of [child.stdout, child.stderr])
        stream.setEncoding('utf8').on('data', (text: string) => (output += text));
      return { output: () => output, ended: new Promise((resolve) => child.once('close', resolve)) };
    },
    stop() {
      running.forEach((child) => child.kill('SIGKILL'));
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
