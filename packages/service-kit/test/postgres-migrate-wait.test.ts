import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Logger } from '@sabia/service-kit/logging';
import { migrate } from '@sabia/service-kit/postgres/migrate';
import { eventually } from '@sabia/testkit/eventually';
import { testServers } from '@sabia/testkit/servers';
import { Client } from 'pg';
import { proxyUrl } from './tcp-proxy';
import type { TcpProxy } from './tcp-proxy';

const name = `late_${process.pid}`;

describe('migrate, told to wait', () => {
  let admin: Client;
  let proxy: TcpProxy;
  let url: string;
  let path: string;
  let reasons: string[];
  const log = {
    info: () => undefined,
    warn: ({ reason }: { reason: string }) => void reasons.push(reason),
  } as unknown as Logger;

  const run = (waitMs: number) => migrate({ url, directories: [{ set: 'late', path }], log, waitMs, retryMs: 10 });

  beforeAll(async () => {
    admin = new Client({ connectionString: testServers().postgresUrl });
    await admin.connect();
    const through = await proxyUrl(testServers().postgresUrl);
    proxy = through.proxy;
    url = Object.assign(new URL(through.url), { username: name, password: 'right', pathname: `/${name}` }).href;
    path = await mkdtemp(join(tmpdir(), 'migrations-'));
    await writeFile(join(path, '0001_create_table.sql'), 'CREATE TABLE late (id integer)');
  });

  beforeEach(() => {
    reasons = [];
  });

  afterAll(async () => {
    await admin.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
    await admin.query(`DROP ROLE IF EXISTS ${name}`);
    await admin.end();
    await proxy.close().catch(() => undefined);
    await rm(path, { recursive: true });
  });

  it('gives up when the time is over, with the reason', async () => {
    await expect(run(50)).rejects.toMatchObject({ code: '28P01' });
    await expect(run(0)).rejects.toMatchObject({ code: '28P01' });
  });

  it('waits for the server, the role, the password and the database, and tells each reason once', async () => {
    await proxy.cut();
    const running = run(120_000);
    await eventually(() => reasons.length === 1);
    await proxy.restore();
    await eventually(() => reasons.length === 2);
    await admin.query(`CREATE ROLE ${name} LOGIN PASSWORD 'right'`);
    await eventually(() => reasons.length === 3);
    await admin.query(`CREATE DATABASE ${name} OWNER ${name}`);
    await expect(running).resolves.toMatchObject({ applied: expect.arrayContaining(['late/0001_create_table']) });
    expect(reasons).toEqual([
      expect.stringContaining('ECONNREFUSED'),
      `password authentication failed for user "${name}"`,
      `database "${name}" does not exist`,
    ]);
  });

  it('does not wait for what waiting does not mend', async () => {
    await writeFile(join(path, '0002_break.sql'), 'SELECT nonsense');
    await expect(run(120_000)).rejects.toThrow(/column "nonsense" does not exist/);
    expect(reasons).toEqual([]);
  });
});
