import { accessSync, constants, existsSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { UsageError } from '../config';

/** Everything a stack writes to its home, except the cache and the records of running processes. --fresh removes nothing else. */
const OURS = [
  'postgres',
  'postgres.new',
  'nats',
  'redis',
  'mail',
  'asterisk',
  ...Array.from({ length: 8 }, (_, index) => (index === 0 ? 'edge' : `edge-${index + 1}`)),
  'recordings',
  'logs',
  'secrets.json',
  'ports.json',
  'demo.json',
  'operator-token',
  'stack.json',
  'processes.json',
];

/** E-mail, password and token of the demo account. */
export const demoFile = (home: string): string => join(home, 'demo.json');

/** The token of the operator's API. */
export const operatorTokenFile = (home: string): string => join(home, 'operator-token');

export function openHome(home: string): void {
  try {
    mkdirSync(home, { recursive: true });
    accessSync(home, constants.W_OK | constants.X_OK);
    const data = join(home, 'secrets.json');
    if (existsSync(data)) accessSync(data, constants.R_OK | constants.W_OK);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new UsageError(`${home} is not ours to write (${reason}). Choose another home: SABIA_HOME=… npm start`);
  }
}

export function emptyHome(home: string): void {
  for (const name of OURS) rmSync(join(home, name), { recursive: true, force: true, maxRetries: 5 });
}
