import { networkInterfaces } from 'node:os';
import type { PortBook } from '../process/port-book';
import type { AsteriskAddresses } from './asterisk-values';
import { isUdpPortFree } from './sip-ports';

export const LOOPBACK = '127.0.0.1';
export const WILDCARD = '0.0.0.0';

export interface WantedAddresses {
  sipHost?: string;
  sipPort?: number;
  capturePort?: number;
}

/** The ports of the last start, or others if those are taken or the first attempt with them failed. */
export async function chooseAddresses(
  name: string,
  options: WantedAddresses,
  ports: PortBook,
  attempt: number,
): Promise<AsteriskAddresses> {
  const { sipPort, capturePort } = options;
  // One address, because what a node says of itself must be what edges know it by.
  const sipHost = ownAddress(options.sipHost ?? LOOPBACK);
  const take = async (part: string, udpHost?: string): Promise<number> => {
    const key = `${name}-${part}`;
    let port = attempt === 1 ? await ports.take(key) : await ports.takeAnother(key);
    while (udpHost && !(await isUdpPortFree(port, udpHost))) port = await ports.takeAnother(key);
    return port;
  };
  return {
    sipHost,
    sipPort: sipPort ?? (await take('sip', sipHost)),
    httpPort: await take('http'),
    testCarrierPort: await take('test-carrier', LOOPBACK),
    capturePort: capturePort ?? (await takeCapturePort(ports)),
  };
}

/** Telephony listens there for the copies of all nodes. */
export async function takeCapturePort(ports: PortBook): Promise<number> {
  let port = await ports.take('sip-capture');
  while (!(await isUdpPortFree(port, LOOPBACK))) port = await ports.takeAnother('sip-capture');
  return port;
}

export async function areFree({ sipHost, sipPort, testCarrierPort }: AsteriskAddresses): Promise<boolean> {
  return (await isUdpPortFree(sipPort, sipHost)) && (await isUdpPortFree(testCarrierPort, LOOPBACK));
}

/** Of all addresses (0.0.0.0) the one by which other machines reach this one. */
export function ownAddress(host: string): string {
  if (host !== WILDCARD) return host;
  const all = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  return all.find(({ family, internal }) => family === 'IPv4' && !internal)?.address ?? LOOPBACK;
}
