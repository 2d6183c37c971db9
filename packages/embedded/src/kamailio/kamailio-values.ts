import { join } from 'node:path';
import type { ConfigurationValues } from '../programs/render';

export interface KamailioAddresses {
  /** Where phones and carriers come in, and the address that they know it by. */
  sipHost: string;
  publicAddress: string;
  sipPort: number;
  /** An address of IPv6 besides; empty: none. */
  sipHost6: string;
  /** Only where there is a certificate. */
  tlsPort: number;
  wssPort: number;
  wsPort: number;
  /** Where nodes reach this edge. */
  nodesHost: string;
  nodesPort: number;
  /** Where nodes reach all edges of this machine together. */
  sharedPort?: number;
}

export interface KamailioValuesOptions {
  name: string;
  folder: string;
  postgresUrl: string;
  addresses: KamailioAddresses;
  /** The same at all edges. */
  secret: string;
  /** Never banned. */
  spared: readonly string[];
  tls?: { certificate: string; key: string };
}

/** What the address of a Unix socket can hold. */
const LONGEST_SOCKET_PATH = 100;
const OPEN_FILES = 4_096;

export function kamailioValues(options: KamailioValuesOptions): ConfigurationValues {
  const { name, folder, postgresUrl, addresses, secret, spared, tls } = options;
  const postgres = new URL(postgresUrl);
  const control = join(folder, 'ctl');
  const shared = addresses.sharedPort === undefined ? '' : `${addresses.nodesHost}:${addresses.sharedPort}`;
  return {
    EDGE_NAME: name,
    EDGE_HOME: folder,
    EDGE_SECRET: secret,
    CONTROL_SOCKET: control.length > LONGEST_SOCKET_PATH ? '' : control,
    OPEN_FILES,
    POSTGRES_HOST: postgres.hostname,
    POSTGRES_PORT: postgres.port || 5432,
    POSTGRES_DATABASE: decodeURIComponent(postgres.pathname.slice(1)),
    POSTGRES_USER: decodeURIComponent(postgres.username),
    SIP_HOST: addresses.sipHost,
    SIP_HOST6: addresses.sipHost6,
    SIP_PUBLIC_ADDRESS: addresses.publicAddress,
    SIP_PORT: addresses.sipPort,
    TLS_PORT: addresses.tlsPort,
    WSS_PORT: addresses.wssPort,
    TLS_CERTIFICATE: tls?.certificate ?? '',
    TLS_KEY: tls?.key ?? '',
    WS_HOST: '127.0.0.1',
    WS_PORT: addresses.wsPort,
    NODES_HOST: addresses.nodesHost,
    NODES_PORT: addresses.nodesPort,
    EDGES_ADDRESS: shared,
    EDGES_LISTEN: shared,
    GATEWAY_NETWORKS: '127.0.0.1/32,::1/128',
    SPARED_NETWORKS: spared.join(',') || 'none',
  };
}
