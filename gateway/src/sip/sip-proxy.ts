import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Logger } from '@sabia/service-kit/logging';
import type { Telemetry } from '@sabia/service-kit/telemetry';
import { WebSocket, WebSocketServer } from 'ws';
import type { RedisConnection } from '../clients/redis';
import type { ClientIp } from '../http/request-context';
import { countedAddress } from '../limits/allowance';
import { createConcurrencyLimit } from '../limits/concurrency-limit';
import { createGuessLimit } from './guess-limit';
import { createSharedCount } from './shared-count';
import { relaySip } from './sip-relay';

export const SIP_PATH = '/sip';

const HANDSHAKE_MS = 10_000;
const CLOSE_MS = 1_000;
const KEEP_ALIVE_MS = 30_000;
const LONGEST_MESSAGE = 65_536;
const ATTEMPTS_AT_A_TIME = 10;

export interface SipProxy {
  /** Whether a request asks for the WebSocket of web phones. */
  concerns(request: IncomingMessage): boolean;
  /** Takes the connection over, for as long as the web phone stays. */
  upgrade(request: IncomingMessage, socket: Socket, head: Buffer): void;
  /** Ends every connection: web phones reconnect by themselves, to another replica. */
  close(): void;
}

export interface SipProxyOptions {
  /** The WebSocket of Asterisk. */
  url: string;
  /** The most connections of an address at a time in this process, and the most new ones a minute over all replicas. */
  socketsPerAddress: number;
  clientIp: ClientIp;
  redis: RedisConnection;
  log: Logger;
  telemetry: Telemetry;
  /** Aborted when the gateway stops. */
  stopping: AbortSignal;
}

/** Passes SIP over WebSocket on to Asterisk, which asks for the password itself, so a web phone needs only the gateway's address. */
export function createSipProxy(options: SipProxyOptions): SipProxy {
  const { url, socketsPerAddress, clientIp, redis, log, telemetry, stopping } = options;
  const limit = createGuessLimit(redis, log);
  const minute = { windowSeconds: 60, blockSeconds: 60 };
  const upgrades = createSharedCount(redis, { ...minute, name: 'upgrade', limit: socketsPerAddress + 1 });
  const enterPlace = createConcurrencyLimit(ATTEMPTS_AT_A_TIME);
  const settings = { perMessageDeflate: false, maxPayload: LONGEST_MESSAGE, closeTimeout: CLOSE_MS };
  const handshakes = new WebSocketServer({ ...settings, noServer: true, handleProtocols: () => 'sip' });
  const open = new Set<Socket>();
  const openOf = new Map<string, number>();
  const connections = telemetry.meter.createUpDownCounter('sabia_sip_websockets', {
    description: 'Web phones that are connected',
  });
  const refusals = telemetry.meter.createCounter('sabia_sip_websockets_refused_total', {
    description:
      'Web phones that were not connected because of too many connections or wrong passwords of their address',
  });
  // The series exist from the start, so that their first increase is seen.
  connections.add(0);
  refusals.add(0);

  function follow(socket: Socket, address: string): void {
    open.add(socket);
    openOf.set(address, (openOf.get(address) ?? 0) + 1);
    connections.add(1);
    socket.once('close', () => {
      open.delete(socket);
      const others = (openOf.get(address) ?? 1) - 1;
      if (others > 0) openOf.set(address, others);
      else openOf.delete(address);
      connections.add(-1);
    });
  }

  /** 0: the address may connect. */
  async function waitSeconds(address: string): Promise<number> {
    const banned = await limit.bannedSeconds(address);
    if (banned > 0) return banned;
    return (await upgrades.add(address)) ? await upgrades.blockedSeconds(address) : 0;
  }

  async function connect(request: IncomingMessage, socket: Socket, head: Buffer, address: string): Promise<void> {
    const seconds = await waitSeconds(address);
    // The 'close' of a client that left meanwhile has passed, so nothing would close the connection to Asterisk.
    if (socket.destroyed) return;
    if (seconds > 0) {
      refusals.add(1);
      refuse(socket, '429 Too Many Requests', seconds);
      return;
    }
    const asterisk = new WebSocket(url, 'sip', { ...settings, handshakeTimeout: HANDSHAKE_MS });
    let isThere = false;
    socket.once('close', () => asterisk.close());
    asterisk.on('error', (error) => {
      // After the handshake the closed connection tells enough, and a client that left first awaits no response.
      if (isThere || socket.destroyed) return;
      log.warn({ err: error }, 'a web phone could not be connected');
      refuse(socket, '503 Service Unavailable', 1);
    });
    asterisk.once('open', () => {
      isThere = true;
      handshakes.handleUpgrade(request, socket, head, (client) =>
        relaySip({ client, asterisk, address, limit, enterPlace }),
      );
    });
  }

  return {
    concerns: (request) =>
      request.method === 'GET' && request.headers.upgrade?.toLowerCase() === 'websocket' && isForSip(request),
    upgrade(request, socket, head) {
      socket.on('error', () => socket.destroy());
      socket.setKeepAlive(true, KEEP_ALIVE_MS);
      const address = countedAddress(clientIp(request));
      if (stopping.aborted) return refuse(socket, '503 Service Unavailable', 1);
      if (!offersSip(request)) return refuse(socket, '400 Bad Request');
      if ((openOf.get(address) ?? 0) >= socketsPerAddress) {
        refusals.add(1);
        return refuse(socket, '429 Too Many Requests', 1);
      }
      follow(socket, address);
      connect(request, socket, head, address).catch((error: unknown) => {
        log.error({ err: error }, 'a web phone could not be connected');
        socket.destroy();
      });
    },
    close() {
      [...open].forEach((socket) => socket.destroySoon());
    },
  };
}

/** Responds in place of the handshake. */
function refuse(socket: Socket, status: string, retrySeconds?: number): void {
  const retry = retrySeconds === undefined ? '' : `Retry-After: ${retrySeconds}\r\n`;
  socket.write(`HTTP/1.1 ${status}\r\n${retry}Content-Length: 0\r\nConnection: close\r\n\r\n`);
  // end() alone would leave the socket half open until the client closes its side.
  socket.destroySoon();
}

function offersSip({ headers }: IncomingMessage): boolean {
  const offers = headers['sec-websocket-protocol']?.split(',') ?? [];
  return offers.some((offer) => offer.trim() === 'sip');
}

/** Many web phones know only a host and a port; at the root path their subprotocol tells them from other clients. */
function isForSip(request: IncomingMessage): boolean {
  const path = pathOf(request.url ?? '');
  return path === SIP_PATH || (path === '/' && offersSip(request));
}

function pathOf(target: string): string {
  const [path = ''] = target.split('?');
  return path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;
}
