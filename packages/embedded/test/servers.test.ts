import { connect, StringCodec } from 'nats';
import { Client } from 'pg';
import { startServers, type Servers } from '@sabia/embedded/servers';
import { createRunHome, sharedCache, type RunHome } from '@sabia/testkit/run-homes';
import { eventually } from '@sabia/testkit/eventually';

describe('startServers', () => {
  let home: RunHome;
  let servers: Servers;
  const deaths: string[] = [];
  const revivals: string[] = [];

  beforeAll(async () => {
    home = await createRunHome('servers-test');
    servers = await startServers({
      home: home.path,
      cache: sharedCache,
      onDeath: (name) => deaths.push(name),
      onRevival: (name) => revivals.push(name),
    });
  });

  afterAll(async () => {
    await servers.stop();
    home.remove();
  });

  async function sql(text: string): Promise<unknown[]> {
    const client = new Client({ connectionString: servers.postgres.url });
    client.on('error', () => undefined);
    await client.connect();
    try {
      return (await client.query<Record<string, unknown>>(text)).rows;
    } finally {
      await client.end();
    }
  }

  it('runs PostgreSQL 17 with UTF-8 and UTC', async () => {
    const [row] =
      await sql(`SELECT current_setting('server_version_num')::int / 10000 AS version, current_setting('TimeZone') AS zone,
      pg_encoding_to_char(encoding) AS encoding FROM pg_database WHERE datname = current_database()`);
    expect(row).toEqual({ version: 17, zone: 'UTC', encoding: 'UTF8' });
  });

  it('runs NATS with JetStream', async () => {
    const nats = await connect({ servers: servers.nats.url });
    const manager = await nats.jetstreamManager();
    await manager.streams.add({ name: 'TRY', subjects: ['try.*'] });
    const { seq } = await nats.jetstream().publish('try.one', StringCodec().encode('x'));
    expect(seq).toBe(1);
    await nats.close();
  });

  it('takes a server away and brings it back on the same port with its data', async () => {
    await sql('CREATE TABLE kept AS SELECT 42 AS answer');
    const { port } = servers.postgres;
    await servers.postgres.stop();
    await expect(sql('SELECT 1')).rejects.toThrow();
    await servers.postgres.start();
    expect(servers.postgres.port).toBe(port);
    expect(await sql('SELECT answer FROM kept')).toEqual([{ answer: 42 }]);
    expect(deaths).toEqual([]);
  });

  it('pauses a server with all its sessions', async () => {
    servers.postgres.pause();
    const answer = sql('SELECT 1 AS one');
    const early = await Promise.race([answer, new Promise((resolve) => setTimeout(resolve, 200, 'nothing'))]);
    expect(early).toBe('nothing');
    servers.postgres.resume();
    expect(await answer).toEqual([{ one: 1 }]);
  });

  it('starts a server that died again', async () => {
    for (const name of ['postgres', 'nats', 'redis'] as const) process.kill(servers[name].pid ?? 0, 'SIGKILL');
    await eventually(() => revivals.length === 3);
    expect([...deaths].sort()).toEqual(['nats', 'postgres', 'redis']);
    expect(await sql('SELECT answer FROM kept')).toEqual([{ answer: 42 }]);
  });

  it('never stops a server that was given by its URL', async () => {
    const given = await startServers({
      home: home.path,
      cache: sharedCache,
      only: ['nats'],
      urls: { nats: servers.nats.url },
    });
    expect(given.nats).toMatchObject({ url: servers.nats.url, owned: false });
    await given.stop();
    await expect(connect({ servers: servers.nats.url }).then((nats) => nats.close())).resolves.toBeUndefined();
    expect(() => given.redis).toThrow(/not asked for/);
  });
});
