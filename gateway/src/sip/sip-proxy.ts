import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Logger } from '@sabia/service-kit/logging';
import type { Telemetry } from '@sabia/service-kit/telemetry';
import { WebSocketServer } from 'ws';
import type { RedisConnection } from '../clients/redis';
import type { ClientIp } from '../http/request-context';
import { countedAddress } from '../limits/allowance';
import { BannedError, openEdge } from './open-edge';
import { createSharedCount } from './shared-count';
import { createSipEdges } from './sip-edges';
import { relaySip } from './sip-relay';

export const SIP_PATH = '/sip';

const CLOSE_MS = 1_000;
const KEEP_ALIVE_MS = 30_000;
const LONGEST_MESSAGE = 65_536;
/** A banned client gains nothing by trying sooner. */
const BANNED_SECONDS = 60;

export interface SipProxy {
  /** Whether a request asks for the WebSocket of web phones. */
  concerns(request: IncomingMessage): boolean;
  /** Takes the connection over, for as long as the web phone stays. */
  upgrade(request: IncomingMessage, socket: Socket, head: Buffer): void;
  /** Ends every connection: web phones reconnect by themselves, to another replica. */
  close(): void;
}

export interface SipProxyOptions {
  /** The WebSockets of the SIP edges. */
  urls: readonly string[];
  /** The most connections of an address at a time in this process, and the most new ones a minute over all replicas. */
  socketsPerAddress: number;
  clientIp: ClientIp;
  redis: RedisConnection;
  log: Logger;
  telemetry: Telemetry;
  /** Aborted when the gateway stops. */
  stopping: AbortSignal;
}

/**
 * Passes SIP over WebSocket on to a SIP edge, so a web phone needs only the gateway's address. The edge asks for the password and bans who
 * guesses: it is told the address of each client.
 */
export function createSipProxy(options: SipProxyOptions): SipProxy {
  const { urls, socketsPerAddress, clientIp, redis, log, telemetry, stopping } = options;
  const edges = createSipEdges(urls);
  const minute = { windowSeconds: 60, blockSeconds: 60 };
  const upgrades = createSharedCount(redis, { ...minute, name: 'upgrade', limit: socketsPerAddress + 1 });
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

  function refuseTooMany(socket: Socket, seconds: number): void {
    refusals.add(1);
    refuse(socket, '429 Too Many Requests', seconds);
  }

  async function connect(request: IncomingMessage, socket: Socket, head: Buffer, address: string): Promise<void> {
    if (await upgrades.add(address)) return refuseTooMany(socket, await upgrades.blockedSeconds(address));
    // The 'close' of a client that left meanwhile has passed, so nothing would close the connection to an edge.
    if (socket.destroyed) return;
    const left = new AbortController();
    socket.once('close', () => left.abort());
    try {
      const edge = await openEdge({ edges, address: clientIp(request), settings, signal: left.signal });
      if (socket.destroyed) return edge.terminate();
      handshakes.handleUpgrade(request, socket, head, (client) => relaySip(client, edge));
      // A handshake that fails leaves no client that could close it.
      socket.once('close', () => edge.close());
    } catch (error) {
      // A client that left first awaits no response.
      if (socket.destroyed) return;
      if (error instanceof BannedError) return refuseTooMany(socket, BANNED_SECONDS);
      log.warn({ err: error }, 'a web phone could not be connected');
      refuse(socket, '503 Service Unavailable', 1);
    }
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
