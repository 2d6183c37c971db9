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

/** What a softphone registers with, at the account's domain. */
export interface DemoExtension {
  ramal: string;
  senha: string;
}

/** Where softphones come in. */
export interface SipAddresses {
  /** host:port */
  udp: string;
  tcp: string;
  /** URL for web phones. */
  ws: string;
}

/** What programs read to find a running stack: $SABIA_HOME/stack.json. */
export interface StackFile {
  gatewayUrl: string;
  mailboxUrl: string;
  postgresUrl: string;
  natsUrl: string;
  redisUrl: string;
  /** Null: calls are simulated, and there is nothing to register at. */
  sip: SipAddresses | null;
  demo: DemoAccount & { extension: DemoExtension };
  /** What a call to each of them does, by the test carrier or the simulated switch. */
  testNumbers: Record<(typeof testNumberNames)[number], string>;
  /** Who calls as this calls from outside: any phone may be the carrier. Null: calls are simulated. */
  testCarrier: TestCarrier | null;
  services: { name: string; pid: number | undefined; grpc: string }[];
}

/** What tests and curious people want to know beyond it: $SABIA_HOME/processes.json. */
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
