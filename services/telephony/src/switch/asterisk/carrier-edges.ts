import type { Logger } from '@sabia/service-kit/logging';
import type { Trunk } from '../../domain/trunk';
import type { CarrierEdge } from '../../storage/edges';

export interface CarrierEdgesOptions {
  read: () => Promise<{ edges: CarrierEdge[]; trunks: string[] }>;
  log: Logger;
  now: () => number;
}

/** The way of a call to its carrier. */
export interface CarrierWay {
  /** The name of the edge. */
  edge: string;
  /** Where the edge is, with the name of the trunk: it reads from PostgreSQL where the carrier is. */
  proxy: string;
}

/** Undefined: the node asks the carrier itself, because the operator wants it so, or no edge knows the carrier. */
export type WayToCarrier = (trunk: Trunk) => Promise<CarrierWay | undefined>;

/** Edges sign in twice a second. */
const VALID_MS = 200;

/** Chooses the edge through which a node asks a carrier: any that lives, those that have not missed a round before others. */
export function createCarrierEdges({ read, log, now }: CarrierEdgesOptions): WayToCarrier {
  let known: ReturnType<typeof read> | undefined;
  let readAt = -Infinity;

  function lookUp(): ReturnType<typeof read> {
    if (known === undefined || now() - readAt > VALID_MS) {
      readAt = now();
      known = read();
      known.catch(() => (known = undefined));
    }
    return known;
  }

  return async ({ name, server, transport, direct = false }) => {
    if (direct || server === undefined) {
      return undefined;
    }
    try {
      const { edges, trunks } = await lookUp();
      if (!trunks.includes(name)) return undefined;
      const fresh = edges.filter(({ isFresh }) => isFresh);
      const edge = oneOf(fresh.length > 0 ? fresh : edges);
      return edge && { edge: edge.name, proxy: proxyAt(edge, { name, transport }) };
    } catch (error) {
      log.warn({ err: error, trunk: name }, 'the edges are not known, the carrier is asked without one');
      return undefined;
    }
  };
}

function oneOf<Item>(items: readonly Item[]): Item | undefined {
  return items[Math.floor(Math.random() * items.length)];
}

/** Over the transport of the carrier, so that the node tells the carrier the address that it has there. */
function proxyAt({ host, port }: CarrierEdge, { name, transport }: Pick<Trunk, 'name' | 'transport'>): string {
  const address = host.includes(':') ? `[${host}]` : host;
  return `sip:${address}:${port}${transport === 'tcp' ? ';transport=tcp' : ''};lr;trunk=${name}`;
}
