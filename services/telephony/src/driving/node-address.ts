import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

export interface NodeAddressOptions {
  /** A name or an address. */
  host: string;
  find?: (host: string) => Promise<{ address: string }>;
  patienceMs?: number;
}

const PATIENCE_MS = 500;

/**
 * The address of a node, looked up anew each time: a node that was replaced comes back under another one. While name servers are
 * slow or away the address that was known last holds, since the node itself has just responded.
 */
export function createNodeAddress(options: NodeAddressOptions): () => Promise<string> {
  const { host, find = lookup, patienceMs = PATIENCE_MS } = options;
  let known: string | undefined;
  let looking: Promise<string> | undefined;

  async function look(): Promise<string> {
    try {
      known = (await find(host)).address;
      return known;
    } finally {
      looking = undefined;
    }
  }

  return async () => {
    if (isIP(host) !== 0) {
      return host;
    }
    looking ??= look();
    const last = known;
    return last === undefined
      ? looking
      : Promise.race([looking.catch(() => last), delay(patienceMs, last, { ref: false })]);
  };
}
