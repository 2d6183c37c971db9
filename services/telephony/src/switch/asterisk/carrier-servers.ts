import { lookup, resolveSrv } from 'node:dns/promises';
import { isIP } from 'node:net';
import type { Logger } from '@sabia/service-kit/logging';
import type { Trunk } from '../../domain/trunk';
import type { TrunkServer } from '../../storage/edges';

export interface CarrierServersOptions {
  trunks: readonly Trunk[];
  note: (servers: TrunkServer[]) => Promise<void>;
  log: Logger;
  /** Of names; replaced in tests. */
  findAddresses?: (host: string) => Promise<string[]>;
  findServices?: (name: string) => Promise<{ name: string; port: number; priority: number }[]>;
}

const SIP_PORT = 5060;

/** The trunks that edges may be asked for. */
export const edgeTrunksOf = (trunks: readonly Trunk[]): (Trunk & { server: string })[] =>
  trunks.filter((trunk): trunk is Trunk & { server: string } => trunk.server !== undefined && trunk.direct !== true);

/**
 * Looks up where the carriers are and tells the edges, which look up no names themselves: a slow name server would hold them up. A name
 * without a port may be that of a service (SRV), as for Asterisk. A carrier whose name is not found stays where it was.
 */
export function createCarrierServers(options: CarrierServersOptions): () => Promise<void> {
  const { trunks, note, log, findAddresses = allAddresses, findServices = resolveSrv } = options;

  async function placesOf(host: string, port: string | undefined, transport: string): Promise<string[]> {
    const at = async (name: string, number: number | string): Promise<string[]> =>
      (isIP(name) === 0 ? await findAddresses(name) : [name]).map((address) => `${address}:${number}`);
    if (port !== undefined || isIP(host) !== 0) {
      return at(host, port ?? SIP_PORT);
    }
    const services = await findServices(`_sip._${transport}.${host}`).catch(() => []);
    if (services.length === 0) return at(host, SIP_PORT);
    const inOrder = services.toSorted((one, other) => one.priority - other.priority);
    return (await Promise.all(inOrder.map((service) => at(service.name, service.port)))).flat();
  }

  async function find({ name: trunk, server, transport = 'udp' }: Trunk & { server: string }): Promise<TrunkServer[]> {
    const [host = '', port] = server.split(':');
    try {
      const places = await placesOf(host, port, transport);
      const suffix = transport === 'udp' ? '' : `;transport=${transport}`;
      return places.length === 0 ? [] : [{ trunk, uris: places.map((place) => `sip:${place}${suffix}`) }];
    } catch (error) {
      log.warn({ err: error, trunk }, 'the address of a carrier is not found');
      return [];
    }
  }

  return async () => {
    const found = await Promise.all(edgeTrunksOf(trunks).map(find));
    await note(found.flat());
  };
}

const allAddresses = async (host: string): Promise<string[]> =>
  (await lookup(host, { all: true, family: 4 })).map(({ address }) => address);
