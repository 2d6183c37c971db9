import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { TestCarrier } from '../asterisk/start-asterisk';
import { writeFileAtomically } from '../files';

export const testNumberNames = ['answer', 'ring', 'busy', 'noAnswer', 'unallocated', 'reject', 'hangup'] as const;

export interface DemoAccount {
  email: string;
  password: string;
  token: string;
  domain: string;
}

/** Credentials of a softphone at the account's domain. */
export interface DemoExtension {
  ramal: string;
  senha: string;
}

/** Where softphones connect. */
export interface SipAddresses {
  /** host:port */
  udp: string;
  tcp: string;
  /** URL for web phones. */
  ws: string;
}

/** $SABIA_HOME/stack.json: tells programs where a running stack is. */
export interface StackFile {
  gatewayUrl: string;
  /** Enters the console as the demo user. */
  consoleUrl: string;
  /** The API of operators, and the file with a token for it. */
  operator: { url: string; tokenFile: string };
  mailboxUrl: string;
  postgresUrl: string;
  natsUrl: string;
  redisUrl: string;
  /** Null when calls are simulated: there is nothing to register at. */
  sip: SipAddresses | null;
  demo: DemoAccount & { extension: DemoExtension };
  /** Numbers by what the test carrier or the simulated switch does with a call to them. */
  testNumbers: Record<(typeof testNumberNames)[number], string>;
  /** Credentials with which a phone calls from outside, as a carrier. Null when calls are simulated. */
  testCarrier: TestCarrier | null;
  services: { name: string; pid: number | undefined; grpc: string }[];
}

/** $SABIA_HOME/processes.json: the processes of a running stack, for tests and operators. */
export interface ProcessesFile {
  supervisor: number;
  processes: { name: string; pid: number | undefined; url?: string; metricsUrl?: string }[];
}

export function writeStackFiles(home: string, stack: StackFile, processes: ProcessesFile): void {
  writeFileAtomically(join(home, 'processes.json'), `${JSON.stringify(processes, null, 2)}\n`, 0o600);
  writeFileAtomically(join(home, 'stack.json'), `${JSON.stringify(stack, null, 2)}\n`, 0o600);
}

export function removeStackFiles(home: string): void {
  for (const name of ['stack.json', 'processes.json']) rmSync(join(home, name), { force: true });
}
