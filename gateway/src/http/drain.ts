import type { Server } from 'node:http';
import type { Socket } from 'node:net';

/** Takes nothing new; resolves when every running request has had its answer, or when the time is up. */
export type Drain = (timeoutMs: number) => Promise<void>;

/** To be called before the server listens: it follows every connection. */
export function createDrain(server: Server): Drain {
  const sockets = new Set<Socket>();
  let draining = false;
  const follow = (socket: Socket): void => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  };
  server.on('connection', follow);
  // With TLS a connection is two sockets: what has been said on the outer one may have been no more than the handshake.
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
    // Node takes a connection on which nothing was ever said for a busy one.
    [...sockets].filter(({ bytesRead }) => bytesRead === 0).forEach((socket) => socket.destroy());
    const timer = setTimeout(() => {
      server.closeAllConnections();
      // Node does not count those whose handshake never ended.
      sockets.forEach((socket) => socket.destroy());
    }, timeoutMs);
    await closed;
    clearTimeout(timer);
  };
}
