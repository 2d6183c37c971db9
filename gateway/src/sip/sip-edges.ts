import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';

/** How long an edge that could not be connected to is tried after all others. */
const AVOIDED_MS = 5_000;

export interface SipEdges {
  /** The WebSockets of all edges, the best to try first. */
  candidates(): Promise<string[]>;
  /** It could not be connected to. */
  failed(url: string): void;
}

/**
 * The SIP edges, given by their URLs. A name that stands for several addresses, as that of a headless service, stands for several edges;
 * it is looked up anew each time. They take turns.
 */
export function createSipEdges(urls: readonly string[], now: () => number = Date.now): SipEdges {
  const avoidedUntil = new Map<string, number>();
  let turn = 0;

  async function addressesOf(url: string): Promise<string[]> {
    const { hostname } = new URL(url);
    // A certificate is for the name.
    if (isIP(hostname.replace(/^\[|\]$/g, '')) !== 0 || url.startsWith('wss:')) return [url];
    const found = await lookup(hostname, { all: true }).catch(() => []);
    return found.map(({ address, family }) => {
      const each = new URL(url);
      each.hostname = family === 6 ? `[${address}]` : address;
      return each.href;
    });
  }

  return {
    async candidates() {
      const all = [...new Set((await Promise.all(urls.map(addressesOf))).flat())].sort();
      turn += 1;
      const rotated = all.map((_, index) => all[(index + turn) % all.length]!);
      const isAvoided = (url: string): boolean => (avoidedUntil.get(url) ?? 0) > now();
      return [...rotated.filter((url) => !isAvoided(url)), ...rotated.filter(isAvoided)];
    },
    failed(url) {
      // Edges of a cluster come and go with new addresses.
      for (const [known, until] of avoidedUntil) if (until <= now()) avoidedUntil.delete(known);
      avoidedUntil.set(url, now() + AVOIDED_MS);
    },
  };
}
