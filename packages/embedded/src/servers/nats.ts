import { writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { inheritedEnvironment } from '../config';
import { makePrivateFolder } from '../files';
import type { Program } from '../programs/debian-bundle';
import { run } from '../programs/run';
import { startOwnServer } from './own-server';
import type { OwnServerPlace } from './postgres';
import type { Server } from './server';

export async function startNats(program: Program, place: Omit<OwnServerPlace, 'secrets'>): Promise<Server> {
  const { home, ports, registry, durable, onDeath, onRevival, signal } = place;
  const folder = join(home, 'nats');
  makePrivateFolder(folder);
  const syncs = durable && (await knowsSyncInterval(program));
  return startOwnServer({
    name: 'nats',
    ports,
    onDeath,
    onRevival,
    signal,
    url: (port) => `nats://127.0.0.1:${port}`,
    process: (port) => {
      const file = join(folder, 'nats.conf');
      writeFileSync(file, configuration(port, folder, syncs));
      return {
        ...{
          name: 'nats',
          command: program.command,
          args: [...program.args, '--config', file],
          env: inheritedEnvironment(),
          cwd: folder,
        },
        ...{ registry, rank: 0, logFile: join(home, 'logs/nats.log'), stopSignal: 'SIGTERM' as const },
        ready: () => saysJetStream(port),
      };
    },
  });
}

function configuration(port: number, folder: string, syncs: boolean): string {
  return [
    `listen: "127.0.0.1:${port}"`,
    'server_name: sabia',
    'jetstream {',
    `  store_dir: ${JSON.stringify(join(folder, 'jetstream'))}`,
    // The outbox deletes an event's row when NATS acknowledges it, so it must be on disk by then. The default is to flush every two minutes.
    ...(syncs ? ['  sync_interval: always'] : []),
    '}',
    '',
  ].join('\n');
}

/** sync_interval exists since 2.10; a server from PATH may be older. */
async function knowsSyncInterval(program: Program): Promise<boolean> {
  const output = await run(program.command, [...program.args, '--version']);
  const [, major = '0', minor = '0'] = /v(\d+)\.(\d+)/.exec(output) ?? [];
  return Number(major) > 2 || (Number(major) === 2 && Number(minor) >= 10);
}

/** The first line a NATS server sends says what it can do. */
async function saysJetStream(port: number): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1' });
    let text = '';
    const settle = (error?: Error) => {
      socket.destroy();
      if (error) reject(error);
      else resolve();
    };
    socket.setTimeout(2_000, () => settle(new Error('NATS does not answer')));
    socket.once('error', settle);
    socket.once('close', () => settle(new Error('NATS hung up')));
    socket.on('data', (chunk) => {
      text += chunk.toString('utf8');
      if (!text.includes('\n')) return;
      settle(/"jetstream":\s*true/.test(text) ? undefined : new Error('NATS runs without JetStream'));
    });
  });
}
