import { spawn } from 'node:child_process';
import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createGrpcClient } from '@sabia/service-kit/grpc/client';
import { WebhookServiceService } from '@sabia/protos/sabia/webhook/v1/service';
import { createTestDatabase } from '@sabia/testkit/database';
import type { TestDatabase } from '@sabia/testkit/database';
import { eventually } from '@sabia/testkit/eventually';
import { testServers } from '@sabia/testkit/servers';

/** A main.ts as every service has it, run from the build. Its one rpc never answers, so that stopping takes its time. */
const main = `
  const { run } = require('@sabia/service-kit/run');
  const { createChassis } = require('@sabia/service-kit/chassis');
  const { chassisVariables, readEnvironment, toChassisConfig } = require('@sabia/service-kit/config');
  const { WebhookServiceService } = require('@sabia/protos/sabia/webhook/v1/service');
  process.argv.splice(1, 0, 'main.js');
  void run({
    name: 'webhook',
    loadConfig: () => ({ chassis: toChassisConfig(readEnvironment(chassisVariables)) }),
    create: (config, { log }) => createChassis({
      name: 'webhook', config: config.chassis, log, definition: WebhookServiceService,
      assemble: () => ({ handlers: { listIntegrations: (_request, { log }) => new Promise(() => log.info('listing')) } }),
    }),
    migrations: process.env.TEST_MIGRATIONS,
  });`;

describe('a service process', () => {
  let testDatabase: TestDatabase;
  let migrations: string;
  let child: ChildProcessWithoutNullStreams | undefined;
  let stdout = '';
  let stderr = '';

  beforeAll(async () => {
    testDatabase = await createTestDatabase('webhook');
    migrations = await mkdtemp(join(tmpdir(), 'migrations-'));
  });

  afterEach(() => {
    child?.kill('SIGKILL');
    child = undefined;
  });

  afterAll(async () => {
    await testDatabase.drop();
    await rm(migrations, { recursive: true });
  });

  function launch(args: string[], env: NodeJS.ProcessEnv): ChildProcessWithoutNullStreams {
    stdout = '';
    stderr = '';
    child = spawn(process.execPath, ['-e', main, '--', ...args], {
      cwd: __dirname,
      env: { PATH: process.env.PATH, TEST_MIGRATIONS: migrations, ...env },
    });
    child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
    return child;
  }

  const environment = () => ({
    DATABASE_URL: testDatabase.url,
    NATS_URL: testServers().natsUrl,
    GRPC_HOST: '127.0.0.1',
    SHUTDOWN_TIMEOUT_MS: '20000',
  });

  const logged = () =>
    stdout
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Record<string, unknown>);

  const exitCode = async (process: ChildProcessWithoutNullStreams): Promise<unknown> =>
    process.exitCode ?? ((await once(process, 'exit')) as unknown[])[0];

  async function serve(): Promise<{ process: ChildProcessWithoutNullStreams; grpcPort: number }> {
    const process = launch([], environment());
    const line = await eventually(() => logged().find(({ msg }) => msg === 'started'));
    return { process, grpcPort: line.grpcPort as number };
  }

  it('names what is wrong with its environment, and no secret, and exits with 78', async () => {
    const process = launch([], { DATABASE_URL: 'mysql://user:hunter2@db/x', GRPC_PORT: 'x' });
    await expect(exitCode(process)).resolves.toBe(78);
    await eventually(() => stderr.includes('NATS_URL is required'));
    expect(stderr).toContain('DATABASE_URL is not valid');
    expect(stderr).toContain('GRPC_PORT is not valid');
    expect(stderr).not.toContain('hunter2');
  });

  it('migrates and ends', async () => {
    await expect(exitCode(launch(['migrate'], environment()))).resolves.toBe(0);
    await eventually(() => logged().some(({ msg }) => msg === 'nothing to migrate'));
  });

  it('fails to migrate with 1 when the database is away', async () => {
    const env = { ...environment(), DATABASE_URL: 'postgres://nobody@127.0.0.1:1/nothing' };
    await expect(exitCode(launch(['migrate'], env))).resolves.toBe(1);
    await eventually(() => logged().some(({ level, msg }) => level === 'fatal' && msg === 'migration failed'));
  });

  it('serves until SIGTERM, then ends in order with 0', async () => {
    const { process, grpcPort } = await serve();
    const client = createGrpcClient(WebhookServiceService, { address: `127.0.0.1:${grpcPort}` });
    await expect(client.checkHealth()).resolves.toBe(true);
    process.kill('SIGTERM');
    await expect(exitCode(process)).resolves.toBe(0);
    client.close();
    await eventually(() => logged().at(-1)?.msg === 'stopped');
    expect(stderr).toBe('');
  });

  it('exits immediately with 1 on a second signal', async () => {
    const { process, grpcPort } = await serve();
    const client = createGrpcClient(WebhookServiceService, { address: `127.0.0.1:${grpcPort}` });
    const call = client.listIntegrations({}).catch((error: unknown) => error);
    await eventually(() => logged().some(({ msg }) => msg === 'listing'));
    process.kill('SIGTERM');
    await eventually(() => logged().some(({ msg }) => msg === 'stopping'));
    process.kill('SIGTERM');
    await expect(exitCode(process)).resolves.toBe(1);
    await expect(call).resolves.toBeInstanceOf(Error);
    client.close();
  });
});
