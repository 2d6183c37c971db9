import { UsageError } from '../config';
import { isPortFree } from '../process/ports';
import type { PortBook } from '../process/port-book';
import { serviceNames, type ServiceName } from '../service-names';
import { startNameServer } from './name-server';

/** Where the replicas of services listen, and how their clients find them. */
export interface Discovery {
  /** The address that clients of a service get. */
  addressOf(service: ServiceName): string;
  /** The address of the n-th replica, from 1. */
  placeOf(service: ServiceName, number: number): Promise<Place>;
  /** Environment variables for every process that is a client. */
  environment: NodeJS.ProcessEnv;
  close(): Promise<void>;
}

export interface Place {
  host: string;
  grpcPort: number;
  metricsPort: number;
}

export interface DiscoveryOptions {
  ports: PortBook;
  replicas: Partial<Record<ServiceName, number>>;
  /** Hosts of the replicas that are ready now. */
  readyHosts: (service: ServiceName) => string[];
  /** Whether this machine has 127.0.0.2. Default: tried out. */
  hasFurtherHosts?: boolean;
}

const FIRST_HOST = '127.0.0.1';
const DOMAIN = 'sabia.internal';

/**
 * One replica of everything needs no discovery. More are found through DNS, as behind a headless Service of Kubernetes: each has
 * an address of its own and all have the same port. On a machine without further loopback addresses, such as macOS, clients
 * get a fixed list.
 */
export async function openDiscovery(options: DiscoveryOptions): Promise<Discovery> {
  const isReplicated = Object.values(options.replicas).some((count) => count > 1);
  if (!isReplicated) return discoverFromList(options);
  const hasFurtherHosts = options.hasFurtherHosts ?? (await isPortFree(0, hostOf(2)));
  return hasFurtherHosts ? discoverByName(options) : discoverFromList(options);
}

function hostOf(number: number): string {
  return `127.0.0.${number}`;
}

async function discoverByName({ ports, readyHosts }: DiscoveryOptions): Promise<Discovery> {
  const names = new Map(serviceNames.map((service) => [`${service}.${DOMAIN}`, service]));
  const server = await startNameServer(await ports.take('dns'), (name) => {
    const service = names.get(name);
    return service && readyHosts(service);
  });
  const portsOf = new Map<ServiceName, Omit<Place, 'host'>>();
  for (const service of serviceNames) portsOf.set(service, await takePorts(ports, service));
  return {
    addressOf: (service) => `dns://${server.address}/${service}.${DOMAIN}:${portsOf.get(service)?.grpcPort}`,
    placeOf: (service, number) => Promise.resolve({ host: hostOf(number), ...portsOf.get(service)! }),
    // Without this name grpc-js asks the system's resolver and ignores the DNS server in the address.
    environment: { GRPC_NODE_USE_ALTERNATIVE_RESOLVER: 'true' },
    close: () => server.close(),
  };
}

async function discoverFromList({ ports, replicas }: DiscoveryOptions): Promise<Discovery> {
  const places = new Map<ServiceName, Place[]>();
  for (const service of serviceNames) {
    const own: Place[] = [];
    for (let number = 1; number <= (replicas[service] ?? 1); number += 1)
      own.push({ host: FIRST_HOST, ...(await takePorts(ports, replicaName(service, number))) });
    places.set(service, own);
  }
  return {
    addressOf(service) {
      const list = (places.get(service) ?? []).map(({ host, grpcPort }) => `${host}:${grpcPort}`);
      return list.length === 1 ? list[0]! : `ipv4:${list.join(',')}`;
    },
    placeOf(service, number) {
      const place = places.get(service)?.[number - 1];
      if (place) return Promise.resolve(place);
      return Promise.reject(
        new UsageError('replicas can be added only to a stack that began with several, on a system with 127.0.0.2'),
      );
    },
    environment: {},
    close: () => Promise.resolve(),
  };
}

async function takePorts(ports: PortBook, name: string): Promise<Omit<Place, 'host'>> {
  return { grpcPort: await ports.take(`${name}.grpc`), metricsPort: await ports.take(`${name}.metrics`) };
}

/** 'identity', 'identity-2', … */
export function replicaName(kind: string, number: number): string {
  return number === 1 ? kind : `${kind}-${number}`;
}
