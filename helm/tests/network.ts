import { BlockList, isIPv6 } from 'node:net';
import type { KubeObject, NetworkPeer, NetworkRule, Selector } from './kube-object';

/** A pod, or an address outside of the cluster. */
export type Place = { namespace: string; labels: Record<string, string> } | { ip: string };

export interface Door {
  place: Place;
  port: number;
  protocol?: 'TCP' | 'UDP';
}

/** What the API says of NetworkPolicies, for those in `namespace`: https://kubernetes.io/docs/concepts/services-networking/network-policies */
export function createNetwork(policies: KubeObject[], namespace: string) {
  function selecting(place: Place, type: 'Ingress' | 'Egress'): KubeObject[] {
    if ('ip' in place || place.namespace !== namespace) return [];
    return policies.filter(({ spec }) => spec.policyTypes.includes(type) && matches(spec.podSelector, place.labels));
  }

  function permits(place: Place, type: 'Ingress' | 'Egress', other: Place, door: Door): boolean {
    const chosen = selecting(place, type);
    if (chosen.length === 0) return true;
    const rules = chosen.flatMap(({ spec }) => (type === 'Ingress' ? spec.ingress : spec.egress) ?? []);
    return rules.some(
      ({ from, to, ports }) => opens(ports, door) && isAmong((type === 'Ingress' ? from : to) ?? [], other),
    );
  }

  /** No peers, or an empty list of them, means every peer. */
  function isAmong(peers: NetworkPeer[], place: Place): boolean {
    return peers.length === 0 || peers.some((peer) => isPeer(peer, place));
  }

  function isPeer({ ipBlock, namespaceSelector, podSelector }: NetworkPeer, place: Place): boolean {
    if (ipBlock) {
      return (
        'ip' in place && contains(ipBlock.cidr, place.ip) && !ipBlock.except?.some((cidr) => contains(cidr, place.ip))
      );
    }
    if ('ip' in place) return false;
    const isThere = namespaceSelector
      ? matches(namespaceSelector, { 'kubernetes.io/metadata.name': place.namespace })
      : place.namespace === namespace;
    return isThere && matches(podSelector ?? {}, place.labels);
  }

  return {
    /** Allowed by the egress rules of the one and the ingress rules of the other. */
    reaches: (from: Place, door: Door): boolean =>
      permits(from, 'Egress', door.place, door) && permits(door.place, 'Ingress', from, door),
  };
}

function matches({ matchLabels = {} }: Selector, labels: Record<string, string>): boolean {
  return Object.entries(matchLabels).every(([name, value]) => labels[name] === value);
}

function opens(ports: NetworkRule['ports'], { port, protocol = 'TCP' }: Door): boolean {
  if (!ports) return true;
  return ports.some(
    (open) =>
      (open.protocol ?? 'TCP') === protocol &&
      (open.port === undefined || (port >= open.port && port <= (open.endPort ?? open.port))),
  );
}

function contains(cidr: string, ip: string): boolean {
  const [network = '', prefix = ''] = cidr.split('/');
  if (isIPv6(network) !== isIPv6(ip)) return false;
  const list = new BlockList();
  list.addSubnet(network, Number(prefix), isIPv6(network) ? 'ipv6' : 'ipv4');
  return list.check(ip, isIPv6(ip) ? 'ipv6' : 'ipv4');
}
