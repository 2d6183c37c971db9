import dns from 'node:dns';
import { Client, credentials, status } from '@grpc/grpc-js';
import { eventually } from '@sabia/testkit/eventually';
import { createGrpcClient } from '@sabia/service-kit/grpc/client';
import { HealthCheckResponse_ServingStatus as ServingStatus, HealthService } from '@sabia/protos/grpc/health/v1/health';
import type { HealthCheckResponse } from '@sabia/protos/grpc/health/v1/health';
import { EchoService, answerWith, setStage, useStages } from './echo-service';

describe.each([
  { kind: 'with shared streams', multiplex: true },
  { kind: 'without shared streams', multiplex: false },
])('a gRPC server $kind', ({ multiplex }) => {
  const open = useStages({ multiplex });

  it('is not serving until it is set to serving, and reports every part by name', async () => {
    const stage = await open({ handlers: {} });
    const client = stage.connect();
    await expect(client.checkHealth()).resolves.toBe(false);
    stage.server.setHealth('', true);
    stage.server.setHealth('postgres', true);
    await expect(client.checkHealth()).resolves.toBe(true);
    await expect(client.checkHealth('postgres')).resolves.toBe(true);
    stage.server.setHealth('postgres', false);
    await expect(client.checkHealth('postgres')).resolves.toBe(false);
    await expect(client.checkHealth('')).resolves.toBe(true);
    await expect(client.checkHealth('unknown')).resolves.toBe(false);
  });

  it('reports every change to watchers, and ends their streams when it stops', async () => {
    const stage = await open({ handlers: {} });
    const client = new Client(`127.0.0.1:${stage.port}`, credentials.createInsecure());
    const { path, requestSerialize, responseDeserialize } = HealthService.watch;
    const seen: ServingStatus[] = [];
    const watch = client.makeServerStreamRequest(path, requestSerialize, responseDeserialize, { service: '' });
    const ended = new Promise<void>((resolve) => watch.on('end', resolve));
    watch.on('data', (response: HealthCheckResponse) => seen.push(response.status));
    watch.on('error', () => undefined);
    await eventually(() => seen.length === 1);
    stage.server.setHealth('', true);
    await eventually(() => seen.length === 2);
    await stage.server.stop(5_000);
    await ended;
    expect(seen).toEqual([ServingStatus.NOT_SERVING, ServingStatus.SERVING, ServingStatus.NOT_SERVING]);
    client.close();
  });

  it('lets running RPCs finish when it stops, and accepts no new ones', async () => {
    let release: (() => void) | undefined;
    const stage = await open({
      handlers: {
        say: async (words) => {
          await new Promise<void>((resolve) => (release = resolve));
          return words;
        },
      },
    });
    const client = stage.connect();
    const rpc = client.say({ text: 'still here' });
    await eventually(() => release !== undefined);
    const stopped = stage.server.stop(120_000);
    await expect(stage.connect().write({ text: 'x' }, { patienceMs: 0 })).rejects.toMatchObject({
      grpcCode: status.UNAVAILABLE,
    });
    release?.();
    await expect(rpc).resolves.toEqual({ text: 'still here' });
    await stopped;
  });

  it('cancels RPCs that still run after the grace time, and waits for their handlers', async () => {
    let letGo = false;
    let running = false;
    const stage = await open({
      handlers: {
        say: (_words, { signal }) =>
          new Promise((_resolve, reject) => {
            running = true;
            signal.addEventListener('abort', () => {
              setImmediate(() => {
                letGo = true;
                reject(signal.reason as Error);
              });
            });
          }),
      },
    });
    const rpc = stage.connect().say({ text: 'x' });
    const failed = expect(rpc).rejects.toMatchObject({ name: 'TransportError', grpcCode: status.UNAVAILABLE });
    await eventually(() => running);
    await stage.server.stop(50);
    expect(letGo).toBe(true);
    await failed;
  });

  it('rejects when its port is taken', async () => {
    // grpc-js also writes the error to the console.
    jest.spyOn(console, 'error').mockReturnValue();
    const { port } = await open({ handlers: {} });
    await expect(setStage({ handlers: {}, port, multiplex })).rejects.toThrow();
  });

  it('shares RPCs with other addresses, and the others go on when it is away', async () => {
    const [a, b] = await Promise.all(['a', 'b'].map((name) => open({ handlers: { say: answerWith(name) } })));
    const address = `ipv4:127.0.0.1:${a!.port},127.0.0.1:${b!.port}`;
    const client = a!.connect({ address, idempotentMethods: ['say'] });
    const ask = async (): Promise<string> => (await client.say({ text: 'who?' })).text;
    await eventually(async () => new Set([await ask(), await ask()]).size === 2);
    await a!.server.stop(100);
    for (let i = 0; i < 10; i += 1) {
      await expect(ask()).resolves.toBe('b');
    }
  });

  it('closes old connections, so that a client finds replicas that were added in the meantime', async () => {
    // The second loopback address that each system has without any set-up.
    const secondHost = process.platform === 'linux' ? '127.0.0.2' : '::1';
    const hosts = ['127.0.0.1'];
    const lookup = jest.spyOn(dns.promises, 'lookup') as unknown as jest.SpyInstance<Promise<dns.LookupAddress[]>>;
    lookup.mockImplementation(() =>
      Promise.resolve(hosts.map((address) => ({ address, family: address === '::1' ? 6 : 4 }))),
    );

    const first = await open({ handlers: { say: answerWith('first') }, maxConnectionAgeMs: 300 });
    const client = createGrpcClient(EchoService, {
      address: `dns:///echo.test:${first.port}`,
      channelOptions: { 'grpc.dns_min_time_between_resolutions_ms': 100 },
    });
    try {
      await expect(client.say({ text: 'who?' })).resolves.toEqual({ text: 'first' });
      await open({
        handlers: { say: answerWith('second') },
        host: secondHost,
        port: first.port,
        maxConnectionAgeMs: 300,
      });
      hosts.push(secondHost);
      const failures: unknown[] = [];
      await eventually(async () => {
        const { text } = await client.say({ text: 'who?' }).catch((error: unknown) => {
          failures.push(error);
          return { text: '' };
        });
        return text === 'second';
      });
      expect(failures).toEqual([]);
    } finally {
      client.close();
    }
  });

  it('fails no RPC, idempotent or not, while connections of several replicas reach their maximum age', async () => {
    const handlers = { say: answerWith('here') };
    const replicas = await Promise.all([1, 2].map(() => open({ handlers, maxConnectionAgeMs: 60 })));
    const address = `ipv4:${replicas.map(({ port }) => `127.0.0.1:${port}`).join(',')}`;
    const client = replicas[0]!.connect({ address });
    const failures: unknown[] = [];
    const endsAt = Date.now() + 2_000;
    const keepCalling = async (): Promise<void> => {
      while (Date.now() < endsAt) {
        await client.say({ text: 'x' }).catch((error: unknown) => failures.push(error));
      }
    };
    await Promise.all(Array.from({ length: 16 }, keepCalling));
    expect(failures).toEqual([]);
  });

  it('does not cut an RPC that outlives the maximum age of its connection', async () => {
    const stage = await open({
      handlers: {
        say: async (words) => {
          await new Promise((resolve) => setTimeout(resolve, 500));
          return words;
        },
      },
      maxConnectionAgeMs: 100,
    });
    await expect(stage.connect().say({ text: 'patient' })).resolves.toEqual({ text: 'patient' });
  });
});
