import { connect } from 'node:net';
import { join } from 'node:path';
import { inheritedEnvironment } from '../config';
import { makePrivateFolder } from '../files';
import type { Program } from '../programs/debian-bundle';
import { startOwnServer } from './own-server';
import type { OwnServerPlace } from './postgres';
import type { Server } from './server';

/** Starts Redis or Valkey, which behave the same for our use. */
export async function startRedis(program: Program, place: Omit<OwnServerPlace, 'secrets'>): Promise<Server> {
  const { home, ports, registry, durable, onDeath, onRevival, signal } = place;
  const folder = join(home, 'redis');
  makePrivateFolder(folder);
  return startOwnServer({
    name: 'redis',
    ports,
    onDeath,
    onRevival,
    signal,
    url: (port) => `redis://127.0.0.1:${port}`,
    process: (port) => {
      const settings = {
        port: String(port),
        bind: '127.0.0.1',
        dir: folder,
        daemonize: 'no',
        save: '',
        appendonly: durable ? 'yes' : 'no',
        appendfsync: 'everysec',
      };
      const args = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value]);
      return {
        ...{
          name: 'redis',
          command: program.command,
          args: [...program.args, ...args],
          env: inheritedEnvironment(),
          cwd: folder,
        },
        ...{ registry, rank: 0, logFile: join(home, 'logs/redis.log'), stopSignal: 'SIGTERM' as const },
        ready: () => pongs(port),
      };
    },
  });
}

async function pongs(port: number): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1' }, () => socket.write('PING\r\n'));
    const settle = (error?: Error) => {
      socket.destroy();
      if (error) reject(error);
      else resolve();
    };
    socket.setTimeout(2_000, () => settle(new Error('Redis does not answer')));
    socket.once('error', settle);
    socket.once('close', () => settle(new Error('Redis hung up')));
    socket.once('data', (chunk) => {
      const answer = chunk.toString('utf8').trim();
      settle(answer === '+PONG' ? undefined : new Error(`Redis says ${answer}`));
    });
  });
}
