import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { createProxyMiddleware, proxyEventsPlugin } from 'http-proxy-middleware';
import type { Logger } from '@sabia/service-kit/logging';
import type { Telemetry } from '@sabia/service-kit/telemetry';

export const SIP_PATH = '/sip';

const HANDSHAKE_MS = 10_000;

export interface SipProxy {
  /** Whether a request asks for the WebSocket of web phones. */
  concerns(request: IncomingMessage): boolean;
  /** Takes the connection over, for as long as the web phone stays. */
  upgrade(request: IncomingMessage, socket: Socket, head: Buffer): void;
  /** Ends every connection: web phones come back by themselves, to a gateway that is there. */
  close(): void;
}

export interface SipProxyOptions {
  /** The WebSocket of Asterisk. */
  url: string;
  log: Logger;
  telemetry: Telemetry;
  isDraining: () => boolean;
}

/** SIP over WebSocket, passed on to Asterisk, which asks for the password itself: a web phone needs only our address. */
export function createSipProxy({ url, log, telemetry, isDraining }: SipProxyOptions): SipProxy {
  const target = new URL(url);
  /** With what was written before the handshake: a connection may have carried other requests. */
  const open = new Map<Socket, number>();
  const connections = telemetry.meter.createUpDownCounter('sabia_sip_websockets', {
    description: 'Web phones that are connected',
  });
  // Whoever reads shall see none before the first one comes.
  connections.add(0);

  const proxy = createProxyMiddleware({
    target: target.origin === 'null' ? `${target.protocol}//${target.host}` : target.origin,
    pathRewrite: () => target.pathname,
    changeOrigin: true,
    // Its own handler of errors tells a web phone nothing.
    ejectPlugins: true,
    plugins: [proxyEventsPlugin],
    on: {
      proxyReqWs: (request) => {
        request.setTimeout(HANDSHAKE_MS, () => request.destroy(new Error('Asterisk does not answer')));
      },
      error: (error, _request, response) => {
        log.warn({ err: error }, 'a web phone could not be connected');
        const socket = response as Socket;
        refuse(socket, open.get(socket));
      },
    },
  });

  return {
    concerns: ({ method, url: path = '', headers }) =>
      method === 'GET' && headers.upgrade?.toLowerCase() === 'websocket' && pathOf(path) === SIP_PATH,
    upgrade(request, socket, head) {
      socket.on('error', () => socket.destroy());
      if (isDraining()) {
        refuse(socket, socket.bytesWritten);
        return;
      }
      open.set(socket, socket.bytesWritten);
      connections.add(1);
      socket.once('close', () => {
        open.delete(socket);
        connections.add(-1);
      });
      proxy.upgrade(request, socket, head);
    },
    close() {
      [...open.keys()].forEach((socket) => socket.destroySoon());
    },
  };
}

/** Before the handshake this is an answer; after it nobody reads it any more. */
function refuse(socket: Socket, writtenBefore: number | undefined): void {
  if (socket.writable && socket.bytesWritten === writtenBefore) {
    socket.end('HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\nContent-Length: 0\r\nConnection: close\r\n\r\n');
    return;
  }
  socket.destroy();
}

function pathOf(target: string): string {
  const [path = ''] = target.split('?');
  return path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;
}
