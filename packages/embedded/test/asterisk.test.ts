import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { testServers } from '@sabia/testkit/servers';
import { createRunHome, sharedCache } from '@sabia/testkit/run-homes';
import { findAsterisk } from '../src/asterisk/find-asterisk';
import { acceptsTcp, answersSipOverUdp } from '../src/asterisk/sip-ports';
import { startAsterisk, type Asterisk } from '../src/asterisk/start-asterisk';

const options = (home: string) => ({ home, cache: sharedCache, postgresUrl: testServers().postgresUrl });

async function answers({ sip: { host, port } }: Asterisk): Promise<void> {
  await answersSipOverUdp(host, port);
  await acceptsTcp(host, port);
}

test('starts without root, is killed and started again on the same ports, also in a home with a long name', async () => {
  const run = await createRunHome('asterisk');
  const home = join(
    run.path,
    'a-home-whose-path-is-far-longer-than-the-one-hundred-and-eight-bytes-of-a-unix-socket-address',
  );
  mkdirSync(home, { recursive: true });
  const asterisk = await startAsterisk(options(home));
  if (!asterisk) throw new Error('no Asterisk');
  try {
    await answers(asterisk);
    expect(asterisk.sip.host).toBe('127.0.0.1');
    await asterisk.kill();
    await expect(answers(asterisk)).rejects.toThrow();
    await asterisk.start();
    await answers(asterisk);
    await asterisk.stop();
    expect(asterisk.pid).toBeUndefined();

    const again = await startAsterisk(options(home));
    expect(again?.sip).toEqual(asterisk.sip);
    expect(again?.ariPassword).toBe(asterisk.ariPassword);
    await again?.stop();

    const secret = join(home, 'asterisk/etc/ari.conf');
    expect(readFileSync(secret, 'utf8')).toContain(asterisk.ariPassword);
    expect(statSync(secret).mode & 0o077).toBe(0);
  } finally {
    await asterisk.kill();
    run.remove();
  }
});

test('listens on the address of this machine when it is told to listen on all', async () => {
  const run = await createRunHome('asterisk');
  const asterisk = await startAsterisk({ ...options(run.path), sipHost: '0.0.0.0' });
  try {
    await answers(asterisk as Asterisk);
    expect(asterisk?.ariUrl).toMatch(/^http:\/\/127\.0\.0\.1:/);
  } finally {
    await asterisk?.stop();
    run.remove();
  }
});

test('is started again when it dies by itself', async () => {
  const run = await createRunHome('asterisk');
  const deaths: string[] = [];
  let revived: () => void = () => undefined;
  const revival = new Promise<void>((resolve) => (revived = resolve));
  const asterisk = (await startAsterisk({
    ...options(run.path),
    onDeath: (name, how) => deaths.push(`${name} ${how}`),
    onRevival: () => revived(),
  })) as Asterisk;
  try {
    process.kill(asterisk.pid as number, 'SIGKILL');
    await revival;
    await answers(asterisk);
    expect(deaths).toEqual(['asterisk was ended by SIGKILL']);
  } finally {
    await asterisk.stop();
    run.remove();
  }
});

describe('where the packages cannot be had', () => {
  let folder: string;
  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'sabia-path-'))));
  afterEach(() => rmSync(folder, { recursive: true }));

  const look = (path: string) => findAsterisk({ cache: '/dev/null/cache', path, progress: () => undefined });

  function install(version: string): string {
    const command = join(folder, 'asterisk');
    writeFileSync(command, `#!/bin/sh\necho 'Asterisk ${version}'\n`);
    chmodSync(command, 0o755);
    return command;
  }

  test('one on PATH is taken if it is new enough', async () => {
    const command = install('22.4.1');
    expect(await look(folder)).toEqual({ program: { command, args: [] } });
  });

  test('an old one is not', async () => {
    const command = install('18.10.0~dfsg');
    expect(await look(folder)).toEqual({ reason: `${command} is Asterisk 18.10.0~dfsg, and version 22 is needed` });
  });

  test('there is none, and the stack goes on without', async () => {
    const told: string[] = [];
    const run = await createRunHome('asterisk');
    const asterisk = await startAsterisk({
      ...options(run.path),
      cache: '/dev/null/cache',
      path: folder,
      progress: (message) => told.push(message),
    });
    expect(asterisk).toBeUndefined();
    expect(told.at(-1)).toMatch(/^no Asterisk, so calls will be simulated: it is not on PATH, and the Debian package/);
    run.remove();
  });
});
