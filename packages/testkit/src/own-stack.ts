import { serviceNames, type ServiceName } from '@sabia/embedded/service-names';
import { freePort } from '@sabia/embedded/process/ports';
import { startStack, type Stack } from '@sabia/embedded/stack';
import type { StackFile } from '@sabia/embedded/stack/stack-file';
import { stackEnvironment } from './config';
import { createRunHome, sharedCache } from './run-homes';

export interface OwnStack extends StackFile {
  home: string;
  gatewayUrls: string[];
  /** Servers to stop, kill or pause, and to start again. */
  servers: Stack['servers'];
  /** Services, gateways and the mailbox by name, to kill or pause one. */
  processes: Stack['processes'];
  /** Adds and removes replicas of a service. */
  addReplica: Stack['addReplica'];
  removeReplica: Stack['removeReplica'];
  /** Asterisk nodes and SIP edges; none where calls are simulated. */
  switches: Stack['callSwitch']['switches'];
  edges: Stack['callSwitch']['edges'];
  end(): Promise<void>;
}

export interface OwnStackOptions {
  gateways?: number;
  /** Number of replicas of every service, or of some. */
  replicas?: number | Partial<Record<ServiceName, number>>;
  /** A real Asterisk; without it calls are simulated, which is lighter. */
  asterisk?: boolean;
  /** Number of Asterisk nodes and of SIP edges before them. */
  switches?: number;
  edges?: number;
  /** False: the guard against webhooks to private addresses is on, as in production. */
  privateWebhooks?: boolean;
  /** Further variables of the services and gateways. */
  settings?: NodeJS.ProcessEnv;
}

/** Starts a whole stack for one test file, which may stop, kill and pause its parts. */
export async function startOwnStack(options: OwnStackOptions = {}): Promise<OwnStack> {
  const {
    gateways = 1,
    replicas = 1,
    asterisk = false,
    switches = 1,
    edges = 1,
    privateWebhooks = true,
    settings,
  } = options;
  const home = await createRunHome('own-stack');
  const config = {
    home: home.path,
    cache: sharedCache,
    host: '127.0.0.1',
    gateways,
    replicas:
      typeof replicas === 'number' ? Object.fromEntries(serviceNames.map((name) => [name, replicas])) : replicas,
    logLevel: 'warn',
    durable: false,
    ...{ switches, edges, privateWebhooks, settings },
    callSwitch: asterisk ? ('asterisk' as const) : ('simulated' as const),
    path: stackEnvironment({}).PATH ?? '',
  };
  const stack = await startStack({ ...config, port: await freePort() }).catch((error: unknown) => {
    home.remove();
    throw error;
  });
  return {
    ...stack.file,
    home: home.path,
    gatewayUrls: stack.gatewayUrls,
    servers: stack.servers,
    processes: stack.processes,
    addReplica: stack.addReplica,
    removeReplica: stack.removeReplica,
    switches: stack.callSwitch.switches,
    edges: stack.callSwitch.edges,
    async end() {
      await stack.stop();
      home.remove();
    },
  };
}
