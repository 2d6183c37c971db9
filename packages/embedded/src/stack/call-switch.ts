import { findAsterisk } from '../asterisk/find-asterisk';
import { startAsterisk, type Asterisk, type AsteriskOptions } from '../asterisk/start-asterisk';
import { UsageError, type SwitchName } from '../config';
import { replicaName } from '../discovery/discovery';
import { findKamailio } from '../kamailio/find-kamailio';
import { startKamailio, type Kamailio } from '../kamailio/start-kamailio';
import type { ServiceName } from '../service-names';

/** A real Asterisk behind SIP edges, or telephony's simulation and the reason for it. */
export type CallSwitch = { asterisk: Asterisk; edges: Kamailio[] } | { asterisk?: undefined; reason: string };

export interface CallSwitchOptions extends Omit<AsteriskOptions, 'sipHost' | 'path'> {
  /** Default: Asterisk where it is available, else simulated. */
  wanted?: SwitchName;
  /** How many SIP edges there are. */
  edges: number;
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
  if (wanted === 'simulated') return { reason: 'so it was asked for' };
  const instead = (reason: string): CallSwitch => {
    if (wanted === 'asterisk') throw new UsageError(`SABIA_SWITCH=asterisk, but there is no Asterisk: ${reason}`);
    progress(`no Asterisk, so calls will be simulated: ${reason}`);
    return { reason };
  };
  try {
    const search = await findAsterisk({ cache, path, progress, signal });
    if (!search.program) return instead(search.reason);
    const edge = await findKamailio({ cache, path, progress, signal });
    if (!edge.program) return instead(edge.reason);
    await databaseReady;
    signal?.throwIfAborted();
    const { program } = edge;
    const sipHost = sipHostOf(host);
    const asterisk = await startAsterisk({ ...options, sipHost });
    if (!asterisk) return instead('it was found and is gone again');
    const start = (name: string) => startKamailio({ ...options, name, program, sipHost, postgresUrl: options.edgeUrl });
    const attempts = await Promise.allSettled(edgeNames(options.edges).map(start));
    const edges = attempts.flatMap((attempt) => (attempt.status === 'fulfilled' ? [attempt.value] : []));
    const failure = attempts.find((attempt) => attempt.status === 'rejected');
    if (failure === undefined) return { asterisk, edges };
    await Promise.all([asterisk, ...edges].map((each) => each.stop()));
    throw failure.reason;
  } catch (error) {
    signal?.throwIfAborted();
    if (error instanceof UsageError) throw error;
    await databaseReady;
    return instead(error instanceof Error ? error.message : String(error));
  }
}

const edgeNames = (count: number): string[] =>
  Array.from({ length: count }, (_, index) => replicaName('edge', index + 1));

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
  if (!callSwitch.asterisk) return {};
  const addresses = callSwitch.edges.flatMap(({ sipUdp, sipTcp }) => [
    `sip:${sipUdp};transport=udp`,
    `sip:${sipTcp};transport=tcp`,
  ]);
  return { SIP_PUBLIC_ADDRESSES: addresses.join(',') };
}

function telephonyEnvironment({ asterisk }: CallSwitch): NodeJS.ProcessEnv {
  if (!asterisk) return { SWITCH: 'simulated' };
  const { ariUrl, ariUser, ariPassword, sip, sipCapture } = asterisk;
  return {
    ...{ SWITCH: 'asterisk', ARI_URL: ariUrl, ARI_USER: ariUser, ARI_PASSWORD: ariPassword },
    ...{ SWITCH_SIP_HOST: sip.host, SWITCH_SIP_PORT: String(sip.port) },
    SIP_CAPTURE: sipCapture ? `${sipCapture.host}:${sipCapture.port}` : 'off',
  };
}

export function gatewayEnvironment(callSwitch: CallSwitch): NodeJS.ProcessEnv {
  return callSwitch.asterisk ? { SIP_WS_URL: callSwitch.edges.map(({ ws }) => ws).join(',') } : {};
}
