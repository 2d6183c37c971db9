import { networkInterfaces } from 'node:os';
import type { PortBook } from '../process/port-book';
import type { AsteriskAddresses } from './asterisk-values';
import { isUdpPortFree } from './sip-ports';

export const LOOPBACK = '127.0.0.1';
export const WILDCARD = '0.0.0.0';

export interface WantedAddresses {
  sipHost?: string;
  sipPort?: number;
  capture?: boolean;
}

/** The ports of the last start, or others if those are taken or the first attempt with them failed. */
export async function chooseAddresses(
  options: WantedAddresses,
  ports: PortBook,
  attempt: number,
): Promise<AsteriskAddresses> {
  const { sipPort, capture = true } = options;
  // One address, because what a node says of itself must be what edges know it by.
  const sipHost = ownAddress(options.sipHost ?? LOOPBACK);
  const take = async (name: string, udpHost?: string): Promise<number> => {
    let port = attempt === 1 ? await ports.take(name) : await ports.takeAnother(name);
    while (udpHost && !(await isUdpPortFree(port, udpHost))) port = await ports.takeAnother(name);
    return port;
  };
  return {
    sipHost,
    sipPort: sipPort ?? (await take('asterisk-sip', sipHost)),
    httpPort: await take('asterisk-http'),
    testCarrierPort: await take('asterisk-test-carrier', LOOPBACK),
    capturePort: capture ? await take('sip-capture', LOOPBACK) : 0,
  };
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
