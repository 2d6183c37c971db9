import { randomInt } from 'node:crypto';
import { connect, createServer } from 'node:net';

// Above the ports for audio, and below the kernel's range for outgoing connections: a stopped server finds its port still free later,
// and no client connects to itself by accident.
const LOWEST = 25_000;
const HIGHEST = 32_000;

/** Returns a port that no other call returns while this process lives, not even a call in another process. */
export async function freePort(): Promise<number> {
  for (let attempt = 0; attempt < 200; attempt++) {
    const port = randomInt(LOWEST, HIGHEST);
    if ((await claim(port)) && (await isPortFree(port))) return port;
  }
  throw new Error(`no free port was found between ${LOWEST} and ${HIGHEST}`);
}

/**
 * Marks a port as given: seconds pass until its server listens, and of two stacks that start at once each has some thirty ports
 * to choose, so that one pair in ten would choose a common one.
 */
async function claim(port: number): Promise<boolean> {
  if ((await mark(`port-${port}`)) === undefined) return false;
  claimed.add(port);
  return true;
}

/** Marks something as taken on this machine, until the returned function is called or the process ends; undefined: another has it. */
export async function mark(name: string): Promise<(() => void) | undefined> {
  if (process.platform !== 'linux') return () => undefined;
  return new Promise((resolve) => {
    // An abstract socket, which the kernel removes with its process.
    const socket = createServer();
    socket.unref();
    socket.once('error', () => resolve(undefined));
    socket.listen(`\0sabia-${name}`, () => resolve(() => void socket.close()));
  });
}

/** The ports that this process has marked. */
const claimed = new Set<number>();

/** Marks a certain port as given; false: another process has it, or listens on it. */
export async function takePort(port: number): Promise<boolean> {
  return (claimed.has(port) || (await claim(port))) && isPortFree(port);
}

export async function isPortFree(port: number, host = '127.0.0.1'): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.unref();
    server.once('error', () => resolve(false));
    server.listen({ port, host, exclusive: true }, () => server.close(() => resolve(true)));
  });
}

/** Also true if a server listens on the port of another address that the wildcard address includes. */
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
