import { findAsterisk } from '../asterisk/find-asterisk';
import { startAsterisk, type Asterisk, type AsteriskOptions } from '../asterisk/start-asterisk';
import { UsageError, type SwitchName } from '../config';
import type { ServiceName } from '../service-names';

/** A real Asterisk, or telephony's simulation and the reason for it. */
export type CallSwitch = { asterisk: Asterisk } | { asterisk?: undefined; reason: string };

export interface CallSwitchOptions extends Omit<AsteriskOptions, 'sipHost' | 'path'> {
  /** Default: Asterisk where it is available, else simulated. */
  wanted?: SwitchName;
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
    await databaseReady;
    signal?.throwIfAborted();
    const asterisk = await startAsterisk({ ...options, sipHost: sipHostOf(host) });
    return asterisk ? { asterisk } : instead('it was found and is gone again');
  } catch (error) {
    signal?.throwIfAborted();
    if (error instanceof UsageError) throw error;
    await databaseReady;
    return instead(error instanceof Error ? error.message : String(error));
  }
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

function extensionsEnvironment({ asterisk }: CallSwitch): NodeJS.ProcessEnv {
  if (!asterisk) return {};
  const { sipUdp, sipTcp } = asterisk;
  return { SIP_PUBLIC_ADDRESSES: `sip:${sipUdp};transport=udp,sip:${sipTcp};transport=tcp` };
}

function telephonyEnvironment({ asterisk }: CallSwitch): NodeJS.ProcessEnv {
  if (!asterisk) return { SWITCH: 'simulated' };
  const { ariUrl, ariUser, ariPassword, ami, sipCapture } = asterisk;
  return {
    ...{ SWITCH: 'asterisk', ARI_URL: ariUrl, ARI_USER: ariUser, ARI_PASSWORD: ariPassword },
    ...{ AMI_HOST: ami.host, AMI_PORT: String(ami.port), AMI_USER: ami.user, AMI_PASSWORD: ami.password },
    SIP_CAPTURE: sipCapture ? `${sipCapture.host}:${sipCapture.port}` : 'off',
  };
}

export function gatewayEnvironment({ asterisk }: CallSwitch): NodeJS.ProcessEnv {
  return asterisk ? { SIP_WS_URL: asterisk.ws } : {};
}
