import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';

export interface CuttableLink {
  /** The same URL, by way of the link. */
  url: string;
  /** Connections break, and new ones are closed at once. */
  cut(): void;
  /** Nothing comes through any more and nothing breaks, as when a cable is pulled. */
  silence(): void;
  mend(): void;
  close(): Promise<void>;
}

/** The network between one replica and a server. `host`: the address at which the server is then found. */
export async function openCuttableLink(target: string, host = '127.0.0.1'): Promise<CuttableLink> {
  const { hostname, port } = new URL(target);
  let state: 'open' | 'cut' | 'silent' = 'open';
  const sockets = new Set<Socket>();

  const keep = (socket: Socket): Socket => {
    sockets.add(socket);
    return socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
  };
  const breakAll = (): void => sockets.forEach((socket) => socket.destroy());

  const server = createServer((near) => {
    if (state === 'cut') {
      near.destroy();
      return;
    }
    keep(near);
    if (state === 'silent') return;
    const far = keep(connect(Number(port), hostname));
    near.pipe(far);
    far.pipe(near);
    near.on('close', () => far.destroy());
    far.on('close', () => near.destroy());
  });
  server.listen(0, host);
  await once(server, 'listening');
  const url = new URL(target);
  url.hostname = host;
  url.port = String((server.address() as AddressInfo).port);

  return {
    url: url.href,
    cut() {
      state = 'cut';
      breakAll();
    },
    silence() {
      state = 'silent';
      sockets.forEach((socket) => socket.unpipe().pause());
    },
    mend() {
      // Connections that were silent stay dead: both ends have given them up, or will.
      if (state !== 'open') breakAll();
      state = 'open';
    },
    async close() {
      breakAll();
      server.close();
      await once(server, 'close');
    },
  };
}
