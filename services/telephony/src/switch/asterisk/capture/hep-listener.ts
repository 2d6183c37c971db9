import { createSocket } from 'node:dgram';
import type { Socket } from 'node:dgram';
import { isIPv6 } from 'node:net';
import type { Logger } from '@sabia/service-kit/logging';
import { readHep } from './hep';
import type { HepPacket } from './hep';

export interface ListeningAddress {
  host: string;
  port: number;
}

export interface HepListenerOptions {
  listen: ListeningAddress;
  log: Logger;
  onMessage: (packet: HepPacket) => void;
}

const RETRY_MS = 1_000;
/** Room for the bursts of a busy switch while this process is doing something else. */
const BUFFER_BYTES = 4 * 1024 * 1024;

/** Where replicas share an address, one of them has it, and another one gets it when that one is gone. */
export function createHepListener({ listen, log, onMessage }: HepListenerOptions) {
  let socket: Socket | undefined;
  let retry: NodeJS.Timeout | undefined;
  let isWarned = false;

  function open(): void {
    const opened = createSocket({ type: isIPv6(listen.host) ? 'udp6' : 'udp4', recvBufferSize: BUFFER_BYTES });
    socket = opened;
    opened.on('message', (packet) => {
      const read = readHep(packet);
      if (read !== undefined) onMessage(read);
    });
    opened.on('error', (error: NodeJS.ErrnoException) => {
      opened.close();
      if (socket !== opened) return;
      if (error.code !== 'EADDRINUSE' && !isWarned) {
        isWarned = true;
        log.warn({ err: error, ...listen }, 'SIP messages cannot be received; ladders follow from timelines');
      }
      socket = undefined;
      retry = setTimeout(open, RETRY_MS);
    });
    opened.on('listening', () => (isWarned = false));
    opened.bind(listen.port, listen.host);
  }

  return {
    start: open,
    stop(): void {
      clearTimeout(retry);
      const closing = socket;
      socket = undefined;
      closing?.close();
    },
  };
}
