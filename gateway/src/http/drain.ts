import type { Server } from 'node:http';
import type { Socket } from 'node:net';

/** Accepts no new connections; resolves when every running request has its response, or when the time is up. */
export type Drain = (timeoutMs: number) => Promise<void>;

/** Has to be called before the server listens, because it follows every connection. */
export function createDrain(server: Server): Drain {
  const sockets = new Set<Socket>();
  let draining = false;
  const follow = (socket: Socket): void => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  };
  server.on('connection', follow);
  // A TLS connection has two sockets; the bytes read on the outer one may be no more than the handshake.
  server.on('secureConnection', (socket: Socket) => {
    if (draining) {
      socket.destroy();
      return;
    }
    follow(socket);
  });

  return async (timeoutMs) => {
    draining = true;
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    server.closeIdleConnections();
    // Node takes a connection without any received byte for a busy one.
    [...sockets].filter(({ bytesRead }) => bytesRead === 0).forEach((socket) => socket.destroy());
    const timer = setTimeout(() => {
      server.closeAllConnections();
      // closeAllConnections() leaves out connections whose TLS handshake never ended.
      sockets.forEach((socket) => socket.destroy());
    }, timeoutMs);
    await closed;
    clearTimeout(timer);
  };
}
