// Checks that find mistakes before any long step begins.
import { readdirSync, readFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { homeFolder } from './paths.mjs';
import { lockHolder } from './processes.mjs';

/** Returns the reason not to start, or undefined. */
export async function reasonNotToStart() {
  const home = homeFolder();
  const holder = lockHolder(join(home, 'run/supervisor.lock'));
  if (holder) {
    const url = runningUrl(home);
    return `Sabiá is already running here (process ${holder.pid}${url ? `, ${url}` : ', still starting'}). Stop it with: npm stop`;
  }
  const port = Number(process.env.SABIA_PORT?.trim() || 8080);
  if (!Number.isInteger(port) || port < 1 || port > 65535)
    return `SABIA_PORT must be a port number, not "${process.env.SABIA_PORT}"`;
  // Processes of a crashed stack may hold the port; they are ended first, and the port is checked again afterwards.
  if (hasLeftovers(home)) return undefined;
  if (await isTaken(port))
    return `Port ${port} is taken by another program. Choose another one: SABIA_PORT=${port + 1} npm start`;
  return undefined;
}

function runningUrl(home) {
  try {
    return JSON.parse(readFileSync(join(home, 'stack.json'), 'utf8')).gatewayUrl;
  } catch {
    return undefined;
  }
}

function hasLeftovers(home) {
  try {
    return readdirSync(join(home, 'run')).some((file) => file.endsWith('.pid.json'));
  } catch {
    return false;
  }
}

async function isTaken(port) {
  const answers = new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1' }, () => resolve(true));
    socket.setTimeout(1_000, () => resolve(true));
    socket.once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
  if (await answers) return true;
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', (error) => resolve(error.code === 'EADDRINUSE'));
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => server.close(() => resolve(false)));
  });
}
