import { resolveSrv } from 'node:dns/promises';
import type { Logger } from '@sabia/service-kit/logging';
import type { SwitchNode } from '../../domain/switch-node';

/** Either a fixed list, or the name of an SRV record whose targets are the nodes. */
export type NodesConfig = { list: SwitchNode[] } | { dnsName: string; sipPort: number; capacity: number };

export interface NodeListOptions {
  nodes: NodesConfig;
  log: Logger;
  resolve?: (name: string) => Promise<{ name: string; port: number }[]>;
}

/** The nodes at each moment. While names cannot be looked up, those that were known last. */
export function createNodeList({ nodes, log, resolve = resolveSrv }: NodeListOptions): () => Promise<SwitchNode[]> {
  if ('list' in nodes) {
    return async () => nodes.list;
  }
  const { dnsName, sipPort: port, capacity } = nodes;
  let known: SwitchNode[] = [];
  let isFailing = false;
  return async () => {
    try {
      const targets = await resolve(dnsName);
      known = targets.map(({ name: host, port: ariPort }) => ({
        // The pods of a StatefulSet are named so, and keep their names when they are replaced.
        name: host.split('.')[0]!,
        ariUrl: `http://${host}:${ariPort}/ari`,
        sip: { host, port },
        capacity,
      }));
      isFailing = false;
    } catch (error) {
      // A headless service without a ready pod has no records at all.
      if (!isFailing) log.warn({ err: error, name: dnsName }, 'the switches cannot be looked up');
      isFailing = true;
    }
    return known;
  };
}
