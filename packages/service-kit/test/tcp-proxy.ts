import { connect, createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';

export interface TcpProxy {
  port: number;
  /** Breaks every connection and refuses new ones, as a server that died does. */
  cut(): Promise<void>;
  restore(): Promise<void>;
  /** Passes nothing on and accepts connections all the same, as a server does whose process is stopped. */
  freeze(): void;
  thaw(): void;
  close(): Promise<void>;
}

/** Stands between a client and a shared server, so that one test can take the server away from itself alone. */
export async function createTcpProxy(host: string, targetPort: number): Promise<TcpProxy> {
  const sockets = new Set<Socket>();
  let frozen = false;
  const server = createServer((client) => {
    const target = connect(targetPort, host);
    for (const [one, other] of [
      [client, target],
      [target, client],
    ] as const) {
      sockets.add(one);
      one.pipe(other);
      one.on('error', () => undefined);
      one.on('close', () => {
        sockets.delete(one);
        other.destroy();
      });
    }
    // After pipe(), which lets them flow.
    if (frozen) [client, target].forEach((socket) => socket.pause());
  });
  const listen = (port: number) => new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  await listen(0);
  const { port } = server.address() as AddressInfo;

  async function cut(): Promise<void> {
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    sockets.forEach((socket) => socket.destroy());
    await closed;
  }

  function freeze(): void {
    frozen = true;
    sockets.forEach((socket) => socket.pause());
  }

  function thaw(): void {
    frozen = false;
    sockets.forEach((socket) => socket.resume());
  }

  return { port, cut, restore: () => listen(port), freeze, thaw, close: cut };
}

/** The same URL, through the proxy. */
export async function proxyUrl(url: string): Promise<{ url: string; proxy: TcpProxy }> {
  const through = new URL(url);
  const proxy = await createTcpProxy(through.hostname, Number(through.port));
  through.hostname = '127.0.0.1';
  through.port = String(proxy.port);
  return { url: through.toString(), proxy };
}
