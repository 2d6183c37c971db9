import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startServers } from '@sabia/embedded/servers';
import type { Servers } from '@sabia/embedded/servers';
import { eventually } from '@sabia/testkit/eventually';
import { Client } from 'pg';
import { searchPath } from './config';
import { environmentOf } from './environment';
import { find, ofKind, overlay, render, root, valueSets } from './render';

const services = ['identity', 'extensions', 'telephony', 'billing', 'webhook'];
// What a URL must escape, SQL must double and a shell must not see.
const password = `it's "a" $pass%word/`;

describe('the bootstrap of an empty server', () => {
  const home = mkdtempSync(join(tmpdir(), 'chart-bootstrap-'));
  let servers: Servers;
  let environment: Record<string, string>;

  const urlOf = (user: string, secret = password, database = 'voice') => {
    const url = new URL(servers.postgres.url);
    return Object.assign(url, { username: user, password: encodeURIComponent(secret), pathname: `/${database}` }).href;
  };

  async function sees(url: string, sql: string): Promise<Record<string, unknown>[]> {
    const client = new Client({ connectionString: url });
    await client.connect();
    try {
      return (await client.query<Record<string, unknown>>(sql)).rows;
    } finally {
      await client.end();
    }
  }

  /** As the Job runs it: with the script of the ConfigMap's folder, in the folder of a service. */
  const bootstrap = (env = environment) =>
    spawnSync(process.execPath, [join(root, 'helm/sabia/files/bootstrap.cjs')], {
      cwd: join(root, 'services/identity'),
      env: { PATH: searchPath(), ...env },
      encoding: 'utf8',
    });

  beforeAll(async () => {
    servers = await startServers({ home, cache: join(root, '.sabia/cache'), only: ['postgres'], durable: false });
    const urls = Object.fromEntries(services.map((name) => [`${name}-database-url`, urlOf(`sabia_${name}`)]));
    const values = overlay(valueSets.demo ?? {}, {
      secrets: {
        values: { ...urls, 'admin-database-url': servers.postgres.url, 'asterisk-database-password': password },
      },
    });
    const objects = render(values);
    const job = ofKind(objects, 'Job').find(({ metadata }) => metadata.name.includes('-bootstrap-'));
    if (!job) throw new Error('there is no Job that bootstraps');
    environment = environmentOf(job, objects, { podIp: '', machine: '', ordinal: 0, secrets: {} });
    expect(Object.keys(find(objects, 'ConfigMap', 'bootstrap').data ?? {})).toEqual(['bootstrap.cjs', 'bootstrap.sql']);
  });

  afterAll(async () => {
    await servers.stop();
    rmSync(home, { recursive: true, force: true });
  });

  it('makes the database and the roles, as often as it is run', async () => {
    for (const time of [1, 2]) {
      const { status, stderr, stdout } = bootstrap();
      expect([time, status, stderr]).toEqual([time, 0, '']);
      expect(stdout).toContain('in the database voice');
    }
    for (const name of services) {
      const [row] = await sees(urlOf(`sabia_${name}`), 'SELECT current_schema() AS schema');
      expect(row).toEqual({ schema: name });
    }
    await expect(sees(urlOf('sabia_asterisk'), 'SELECT count(*)::int AS n FROM ps_contacts')).resolves.toEqual([
      { n: 0 },
    ]);
  });

  it('waits for a server that is on its way up', async () => {
    const { port: target } = new URL(servers.postgres.url);
    const door = createServer((client) => {
      const server = connect(Number(target), '127.0.0.1');
      client.pipe(server).on('error', () => client.destroy());
      server.pipe(client).on('error', () => server.destroy());
    });
    await once(door.listen(0, '127.0.0.1'), 'listening');
    const { port } = door.address() as AddressInfo;
    await new Promise((resolve) => door.close(resolve));

    const through = Object.assign(new URL(servers.postgres.url), { port: String(port) }).href;
    const child = spawn(process.execPath, [join(root, 'helm/sabia/files/bootstrap.cjs')], {
      cwd: join(root, 'services/identity'),
      env: { PATH: searchPath(), ...environment, ADMIN_DATABASE_URL: through },
    });
    let said = '';
    child.stdout.on('data', (text: Buffer) => (said += text.toString()));
    const ended = once(child, 'exit');
    await eventually(() => said.includes('waiting for PostgreSQL: connect ECONNREFUSED'));
    await once(door.listen(port, '127.0.0.1'), 'listening');
    await expect(ended).resolves.toEqual([0, null]);
    expect(said).toContain('in the database voice');
    await new Promise((resolve) => door.close(resolve));
  });

  it('gives up when the time is over, and on a password that is wrong at once', () => {
    const nowhere = Object.assign(new URL(servers.postgres.url), { port: '1' }).href;
    expect(bootstrap({ ...environment, WAIT_SECONDS: '0', ADMIN_DATABASE_URL: nowhere })).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('ECONNREFUSED'),
    });
    expect(bootstrap({ ...environment, ADMIN_DATABASE_URL: urlOf('postgres', 'wrong', 'postgres') })).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('password authentication failed'),
    });
  });

  it('says which URL does not fit', () => {
    const { status, stderr } = bootstrap({ ...environment, WEBHOOK_DATABASE_URL: urlOf('somebody') });
    expect(status).toBe(1);
    expect(stderr).toContain('WEBHOOK_DATABASE_URL must name the role sabia_webhook');
    expect(stderr).not.toContain(encodeURIComponent(password));
  });
});
