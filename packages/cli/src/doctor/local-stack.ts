import { readFileSync } from 'node:fs';
import type { Finding, Patient } from './finding';

/** The stack that `npm start` runs in this folder, if that is the one that is asked for. */
export function* examineStack({ context, url }: Patient): Generator<Finding, void, undefined> {
  const { config, m } = context;
  const stack = readJson<{ gatewayUrl: string; sip: object | null }>(config.stackFile);
  if (stack === undefined) {
    if (new URL(url).hostname === 'localhost') yield { state: 'hint', what: m.doctorNoStack, advice: m.startAdvice };
    return;
  }
  if (new URL(stack.gatewayUrl).port !== new URL(url).port) return;
  const { processes = [] } = readJson<{ processes: { name: string; pid?: number }[] }>(config.processesFile) ?? {};
  const dead = processes.filter(({ pid }) => pid !== undefined && !isRunning(pid)).map(({ name }) => name);
  if (dead.length > 0) yield { state: 'fault', what: m.doctorDead(dead.join(', ')), advice: m.restartAdvice };
  else yield { state: 'fine', what: m.doctorStack(processes.length) };
  if (stack.sip === null) yield { state: 'hint', what: m.doctorSimulated, advice: m.simulatedAdvice };
}

function readJson<T>(file: string): T | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as T;
  } catch {
    return undefined;
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
