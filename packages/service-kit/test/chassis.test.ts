import { randomBytes } from 'node:crypto';
import { status } from '@grpc/grpc-js';
import { ErrorKind } from '@sabia/protos/sabia/api/v1/error';
import { createChassis } from '@sabia/service-kit/chassis';
import type { ChassisOptions, ChassisParts, Service } from '@sabia/service-kit/chassis';
import { chassisVariables, readEnvironment, toChassisConfig } from '@sabia/service-kit/config';
import { outgoingEvent } from '@sabia/service-kit/events/outbox';
import { createGrpcClient } from '@sabia/service-kit/grpc/client';
import { createLogger } from '@sabia/service-kit/logging';
import { createTestDatabase } from '@sabia/testkit/database';
import type { TestDatabase } from '@sabia/testkit/database';
import { eventually } from '@sabia/testkit/eventually';
import { testServers } from '@sabia/testkit/servers';
import { EchoService } from './echo-service';
import { textOf } from './event-room';
import { textEvent } from './event-stage';
import { proxyUrl } from './tcp-proxy';
import type { TcpProxy } from './tcp-proxy';

const log = createLogger({ name: 'test', level: 'silent' });
const heard = randomBytes(6).toString('hex');
const heardEvent = textEvent(`webhook.test.heard-${heard}`);

// Reconnecting to servers takes seconds.
describe('chassis', () => {
  let testDatabase: TestDatabase;
  let postgres: { url: string; proxy: TcpProxy };
  let nats: { url: string; proxy: TcpProxy };
  const services: Service[] = [];
  const clients: { close(): void }[] = [];

  beforeAll(async () => {
    testDatabase = await createTestDatabase('webhook');
    postgres = await proxyUrl(testDatabase.url);
    nats = await proxyUrl(testServers().natsUrl);
  });

  afterEach(async () => {
    clients.splice(0).forEach((client) => client.close());
    await Promise.all(services.splice(0).map((service) => service.stop()));
  });

  afterAll(async () => {
    await postgres.proxy.close();
    await nats.proxy.close();
    await testDatabase.drop();
  });

  type Overrides = Partial<ChassisOptions<typeof EchoService>> & { env?: NodeJS.ProcessEnv };

  function create({ env, ...overrides }: Overrides = {}): Service {
    const service = createChassis({
      name: 'webhook',
      config: toChassisConfig(
        readEnvironment(chassisVariables, {
          DATABASE_URL: postgres.url,
          NATS_URL: nats.url,
          GRPC_HOST: '127.0.0.1',
          SHUTDOWN_TIMEOUT_MS: '60000',
          ...env,
        }),
      ),
      log,
      definition: EchoService,
      assemble: ({ database }) => ({
        handlers: {
          say: async ({ text }) => ({
            text: (await database.query<{ t: string }>('SELECT $1 AS t', [text]))[0]?.t ?? '',
          }),
        },
      }),
      ...overrides,
    });
    services.push(service);
    return service;
  }

  function connect(port: number) {
    const client = createGrpcClient(EchoService, { address: `127.0.0.1:${port}`, defaultTimeoutMs: 60_000 });
    clients.push(client);
    return client;
  }

  async function open(overrides?: Overrides) {
    const { grpcPort } = await create(overrides).start();
    return connect(grpcPort);
  }

  it('serves, and says so for itself and for its parts', async () => {
    const client = await open();
    await expect(client.say({ text: 'olá' })).resolves.toEqual({ text: 'olá' });
    await expect(client.checkHealth('')).resolves.toBe(true);
    await expect(client.checkHealth('sabia.test.v1.EchoService')).resolves.toBe(true);
    await expect(client.checkHealth('postgres')).resolves.toBe(true);
    await eventually(() => client.checkHealth('nats'));
  });

  it('answers UNAVAILABLE and is not serving while PostgreSQL is away, and comes back by itself', async () => {
    const client = await open();
    await client.say({ text: 'x' });
    await postgres.proxy.cut();
    try {
      await expect(client.say({ text: 'x' })).rejects.toMatchObject({
        kind: ErrorKind.UNAVAILABLE,
        retryAfterSeconds: 1,
      });
      await eventually(async () => !(await client.checkHealth('')));
      await expect(client.checkHealth('postgres')).resolves.toBe(false);
      await expect(client.checkHealth('nats')).resolves.toBe(true);
      // A service that is alive is not restarted for an outage of its database.
      await expect(client.checkHealth('alive')).resolves.toBe(true);
    } finally {
      await postgres.proxy.restore();
    }
    await eventually(() => client.checkHealth(''));
    await expect(client.say({ text: 'back' })).resolves.toEqual({ text: 'back' });
  });

  it('goes on serving while NATS is away, and loses no event', async () => {
    const received: string[] = [];
    const client = await open({
      assemble: ({ database, outbox }) => ({
        handlers: {
          write: async (words) => {
            await database.transaction((tx) =>
              outbox.write(tx, [outgoingEvent(heardEvent, words.text, { accountId: 1 })]),
            );
            return words;
          },
        },
        consumers: [
          {
            durable: `webhook-test-${heard}`,
            events: [heardEvent],
            handle: (event) => {
              received.push(textOf(event));
              return Promise.resolve();
            },
          },
        ],
      }),
    });
    await client.write({ text: 'before' });
    await eventually(() => received.includes('before'));
    await nats.proxy.cut();
    try {
      await eventually(async () => !(await client.checkHealth('nats')));
      await client.write({ text: 'during' });
      await expect(client.checkHealth('')).resolves.toBe(true);
    } finally {
      await nats.proxy.restore();
    }
    await eventually(() => client.checkHealth('nats'));
    await eventually(() => received.includes('during'));
    expect(received).toEqual(['before', 'during']);
  });

  it('starts while PostgreSQL and NATS are away, and serves once they come', async () => {
    await Promise.all([postgres.proxy.cut(), nats.proxy.cut()]);
    let client: ReturnType<typeof connect>;
    try {
      client = await open();
      await expect(client.checkHealth('')).resolves.toBe(false);
      await expect(client.say({ text: 'x' })).rejects.toMatchObject({ kind: ErrorKind.UNAVAILABLE });
    } finally {
      await Promise.all([postgres.proxy.restore(), nats.proxy.restore()]);
    }
    await eventually(() => client.checkHealth(''));
    await eventually(() => client.checkHealth('nats'));
    await expect(client.say({ text: 'x' })).resolves.toEqual({ text: 'x' });
  });

  it('cancels the running statement when the deadline of the RPC has passed', async () => {
    let parts: ChassisParts | undefined;
    const client = await open({
      assemble: (all) => {
        parts = all;
        return {
          handlers: {
            say: async (words) => {
              await all.database.query(`SELECT pg_sleep(60) /* ${heard} */`);
              return words;
            },
          },
        };
      },
    });
    const running = async (): Promise<number> => {
      const rows = await parts?.database.query(
        `SELECT FROM pg_stat_activity WHERE state = 'active' AND query LIKE '%pg_sleep%${heard}%' AND pid <> pg_backend_pid()`,
      );
      return rows?.length ?? 0;
    };
    const call = client.say({ text: 'x' }, { timeoutMs: 4_000 });
    const failed = expect(call).rejects.toMatchObject({ grpcCode: status.DEADLINE_EXCEEDED });
    await eventually(async () => (await running()) === 1);
    await failed;
    await eventually(async () => (await running()) === 0);
  });

  it('stops in order: rpcs finish while the database still works, then nothing listens', async () => {
    let begun = false;
    let release: (() => void) | undefined;
    const order: string[] = [];
    const service = create({
      assemble: ({ database }) => ({
        handlers: {
          say: async (words) => {
            begun = true;
            await new Promise<void>((resolve) => (release = resolve));
            await database.query('SELECT 1');
            order.push('rpc ends');
            return words;
          },
        },
        start: () => void order.push('service starts'),
        stop: async () => {
          await database.query('SELECT 1');
          order.push('service stops');
        },
      }),
    });
    const { grpcPort, metricsPort } = await service.start();
    const call = connect(grpcPort).say({ text: 'last' });
    await eventually(() => begun);
    const stopped = service.stop();
    release?.();
    await expect(call).resolves.toEqual({ text: 'last' });
    await stopped;
    await service.stop();
    expect(order).toEqual(['service starts', 'rpc ends', 'service stops']);
    await expect(connect(grpcPort).checkHealth()).resolves.toBe(false);
    await expect(fetch(`http://127.0.0.1:${metricsPort}/metrics`)).rejects.toThrow();
  });

  it('is as healthy as the required checks that the service adds', async () => {
    let usable = false;
    const check = async (): Promise<void> => {
      if (!usable) throw new Error('not usable yet');
    };
    const client = await open({ assemble: () => ({ handlers: {}, checks: { rates: { required: true, check } } }) });
    await expect(client.checkHealth('')).resolves.toBe(false);
    await expect(client.checkHealth('rates')).resolves.toBe(false);
    usable = true;
    await eventually(() => client.checkHealth('rates'));
    await eventually(() => client.checkHealth(''));
  });

  it('leaves nothing open when it cannot start', async () => {
    // grpc-js also writes the error to the console.
    const silenced = jest.spyOn(console, 'error').mockReturnValue();
    const { grpcPort } = await create().start();
    let metricsPort = 0;
    const second = create({
      env: { GRPC_PORT: String(grpcPort) },
      assemble: ({ telemetry }) => {
        metricsPort = telemetry.metricsPort;
        return { handlers: {} };
      },
    });
    await expect(second.start()).rejects.toThrow();
    silenced.mockRestore();
    await expect(fetch(`http://127.0.0.1:${metricsPort}/metrics`)).rejects.toThrow();
  });

  it('can be stopped while it starts', async () => {
    const service = create();
    const starting = service.start().catch(() => undefined);
    await service.stop();
    const ports = await starting;
    if (ports !== undefined) {
      await eventually(async () => !(await connect(ports.grpcPort).checkHealth()));
    }
  });
});
