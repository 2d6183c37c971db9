import { takeCapturePort } from '../asterisk/asterisk-addresses';
import { findAsterisk } from '../asterisk/find-asterisk';
import { startAsterisk, type Asterisk, type AsteriskOptions } from '../asterisk/start-asterisk';
import { UsageError, type SwitchName } from '../config';
import { replicaName } from '../discovery/discovery';
import { findKamailio } from '../kamailio/find-kamailio';
import { startKamailio, type Kamailio } from '../kamailio/start-kamailio';
import type { PortBook } from '../process/port-book';
import type { Program } from '../programs/debian-bundle';
import type { ServiceName } from '../service-names';

/** Asterisk nodes behind SIP edges; none where telephony simulates calls. */
export interface CallSwitch {
  switches: Asterisk[];
  edges: Kamailio[];
  /** Why there are none. */
  reason?: string;
}

export interface CallSwitchOptions extends Omit<AsteriskOptions, 'name' | 'sipHost' | 'path'> {
  ports: PortBook;
  /** Default: Asterisk where it is available, else simulated. */
  wanted?: SwitchName;
  /** How many Asterisk nodes there are. */
  switches: number;
  /** How many SIP edges there are. */
  edges: number;
  /** Whether nodes send copies of SIP messages to telephony. Default: true. */
  capture?: boolean | undefined;
  /** The same database as the role of the edges. */
  edgeUrl: string;
  /** Where the gateway listens; softphones connect to the same address. */
  host: string;
  path: string;
  /** Resolves when the extensions can be read, which Asterisk does at its start. */
  databaseReady: Promise<unknown>;
}

/** Fetches the program while the database starts. */
export async function startCallSwitch(options: CallSwitchOptions): Promise<CallSwitch> {
  const { wanted, host, cache, path, progress = () => undefined, signal, databaseReady } = options;
  if (wanted === 'simulated') return { switches: [], edges: [], reason: 'so it was asked for' };
  const instead = (reason: string): CallSwitch => {
    if (wanted === 'asterisk') throw new UsageError(`SABIA_SWITCH=asterisk, but there is no Asterisk: ${reason}`);
    progress(`no Asterisk, so calls will be simulated: ${reason}`);
    return { switches: [], edges: [], reason };
  };
  try {
    const search = await findAsterisk({ cache, path, progress, signal });
    if (!search.program) return instead(search.reason);
    const edge = await findKamailio({ cache, path, progress, signal });
    if (!edge.program) return instead(edge.reason);
    await databaseReady;
    signal?.throwIfAborted();
    return await startPlane({ ...options, sipHost: sipHostOf(host), program: edge.program });
  } catch (error) {
    signal?.throwIfAborted();
    if (error instanceof UsageError) throw error;
    await databaseReady;
    return instead(error instanceof Error ? error.message : String(error));
  }
}

async function startPlane(options: CallSwitchOptions & { sipHost: string; program: Program }): Promise<CallSwitch> {
  const { ports, capture = true, edgeUrl } = options;
  const capturePort = capture ? await takeCapturePort(ports) : 0;
  const switches = await startAll(
    namesOf('asterisk', options.switches).map(async (name) => {
      const node = await startAsterisk({ ...options, name, capturePort });
      if (!node) throw new Error('it was found and is gone again');
      return node;
    }),
  );
  try {
    const sharedPort = await ports?.take('edges');
    const start = (name: string) => startKamailio({ ...options, name, sharedPort, postgresUrl: edgeUrl });
    return { switches, edges: await startAll(namesOf('edge', options.edges).map(start)) };
  } catch (error) {
    await Promise.all(switches.map((node) => node.stop()));
    throw error;
  }
}

const namesOf = (kind: string, count: number): string[] =>
  Array.from({ length: count }, (_, index) => replicaName(kind, index + 1));

/** All or none: when one does not start, the others are stopped. */
async function startAll<Process extends { stop(): Promise<void> }>(
  starting: readonly Promise<Process>[],
): Promise<Process[]> {
  const attempts = await Promise.allSettled(starting);
  const started = attempts.flatMap((attempt) => (attempt.status === 'fulfilled' ? [attempt.value] : []));
  const failure = attempts.find((attempt) => attempt.status === 'rejected');
  if (failure === undefined) return started;
  await Promise.all(started.map((each) => each.stop()));
  throw failure.reason;
}

/** Asterisk binds to addresses of IPv4. */
function sipHostOf(host: string): string {
  if (host === '::') return '0.0.0.0';
  return /^\d+(\.\d+){3}$/.test(host) ? host : '127.0.0.1';
}

/** What a service must know of the switch. */
export function switchEnvironment(service: ServiceName, callSwitch: CallSwitch): NodeJS.ProcessEnv {
  switch (service) {
    case 'telephony':
      return telephonyEnvironment(callSwitch);
    case 'extensions':
      return extensionsEnvironment(callSwitch);
    default:
      return {};
  }
}

function extensionsEnvironment(callSwitch: CallSwitch): NodeJS.ProcessEnv {
  if (callSwitch.edges.length === 0) return {};
  const addresses = callSwitch.edges.flatMap(({ sipUdp, sipTcp }) => [
    `sip:${sipUdp};transport=udp`,
    `sip:${sipTcp};transport=tcp`,
  ]);
  return { SIP_PUBLIC_ADDRESSES: addresses.join(',') };
}

function telephonyEnvironment({ switches }: CallSwitch): NodeJS.ProcessEnv {
  const [first] = switches;
  if (!first) return { SWITCH: 'simulated' };
  const { ariUser, ariPassword, sipCapture } = first;
  const nodes = switches.map(({ name, ariUrl, sip }) => ({ name, ari: ariUrl, sip: `${sip.host}:${sip.port}` }));
  return {
    ...{ SWITCH: 'asterisk', SWITCHES: JSON.stringify(nodes), ARI_USER: ariUser, ARI_PASSWORD: ariPassword },
    SIP_CAPTURE: sipCapture ? `${sipCapture.host}:${sipCapture.port}` : 'off',
  };
}

export function gatewayEnvironment({ edges }: CallSwitch): NodeJS.ProcessEnv {
  return edges.length > 0 ? { SIP_WS_URL: edges.map(({ ws }) => ws).join(',') } : {};
}
