import { randomInt } from 'node:crypto';
import { connect, createServer } from 'node:net';

// Below the range from which the kernel takes the local ports of outgoing connections: a server that is stopped for a
// while finds its port still free, and no client can by accident connect to itself.
const LOWEST = 15_000;
const HIGHEST = 32_000;

export async function freePort(): Promise<number> {
  for (let attempt = 0; attempt < 200; attempt++) {
    const port = randomInt(LOWEST, HIGHEST);
    if (await isPortFree(port)) return port;
  }
  throw new Error(`no free port was found between ${LOWEST} and ${HIGHEST}`);
}

export async function isPortFree(port: number, host = '127.0.0.1'): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.unref();
    server.once('error', () => resolve(false));
    server.listen({ port, host, exclusive: true }, () => server.close(() => resolve(true)));
  });
}

/** Also true for a server on another address that the wildcard covers. */
export async function isPortTaken(port: number, host: string): Promise<boolean> {
  const answers = await new Promise<boolean>((resolve) => {
    const socket = connect({ port, host: '127.0.0.1' }, () => {
      socket.destroy();
      resolve(true);
    });
    socket.setTimeout(1_000, () => socket.destroy());
    socket.once('error', () => resolve(false));
    socket.once('close', () => resolve(false));
  });
  return answers || !(await isPortFree(port, host));
}
