import type { StackFile } from '@sabia/embedded/stack/stack-file';
import { testStackHome } from './config';
import { readProcesses, readStack } from './stack-process';

export interface TestStack extends StackFile {
  home: string;
  /** URLs of all gateway replicas; the first is gatewayUrl. */
  gatewayUrls: string[];
}

/** The stack that acceptance tests share. A test that stops or breaks anything starts its own: startOwnStack() or spawnStack(). */
export function testStack(): TestStack {
  const home = testStackHome();
  const gateways = readProcesses(home).processes.filter(({ name }) => name.startsWith('gateway'));
  return { ...readStack(home), home, gatewayUrls: gateways.flatMap(({ url }) => url ?? []) };
}
