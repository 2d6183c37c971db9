import type { StackFile } from '@sabia/embedded/stack/stack-file';
import { testStackHome } from './config';
import { readProcesses, readStack } from './stack-process';

export interface TestStack extends StackFile {
  home: string;
  /** Of all gateway replicas; the first is gatewayUrl. */
  gatewayUrls: string[];
}

/** The stack that all acceptance tests share. Whoever breaks things uses one of his own: startOwnStack() or spawnStack(). */
export function testStack(): TestStack {
  const home = testStackHome();
  const gateways = readProcesses(home).processes.filter(({ name }) => name.startsWith('gateway'));
  return { ...readStack(home), home, gatewayUrls: gateways.flatMap(({ url }) => url ?? []) };
}
