import dns from 'node:dns';
import { status } from '@grpc/grpc-js';
import { eventually } from '@sabia/testkit/eventually';
import { promised } from '@sabia/testkit/promised';
import { fastest } from '@sabia/testkit/fastest';
import { setStage } from './echo-service';
import type { Stage, Words } from './echo-service';

// The second loopback address that each system has without any set-up.
const SECOND_HOST = process.platform === 'linux' ? '127.0.0.2' : '::1';

describe.each([
  { kind: 'with shared streams', multiplex: true },
  { kind: 'without shared streams', multiplex: false },
])('a client of changing replicas $kind', ({ multiplex }) => {
  const stages: Stage[] = [];
  let hosts: string[];

  beforeEach(() => {
    hosts = [];
    const lookup = jest.spyOn(dns.promises, 'lookup') as unknown as jest.SpyInstance<Promise<dns.LookupAddress[]>>;
    lookup.mockImplementation(() =>
      hosts.length === 0
        ? Promise.reject(new Error('ENOTFOUND'))
        : Promise.resolve(hosts.map((address) => ({ address, family: address === '::1' ? 6 : 4 }))),
    );
  });

  afterEach(async () => {
    jest.restoreAllMocks();
    await Promise.all(stages.splice(0).map((stage) => stage.close()));
  });

  async function open(name: string, host = '127.0.0.1', port = 0): Promise<Stage> {
    const handlers = { write: (_words: Words) => Promise.resolve({ text: name }) };
    const stage = await setStage({ handlers, host, port, multiplex });
    stages.push(stage);
    return stage;
  }

  const addressOf = ({ port }: Stage): string => `dns:///echo.test:${port}`;

  it('fails no RPC, idempotent or not, when the last replica it knew has gone and another is there', async () => {
    const first = await open('first');
    hosts = ['127.0.0.1'];
    const client = first.connect({ address: addressOf(first) });
    await expect(client.write({ text: 'x' })).resolves.toEqual({ text: 'first' });

    await open('second', SECOND_HOST, first.port);
    const failures: unknown[] = [];
    let moved = false;
    const keepCalling = async (): Promise<void> => {
      while (!moved) {
        const answer = await client.write({ text: 'x' }).catch((error: unknown) => void failures.push(error));
        moved ||= answer?.text === 'second';
      }
    };
    const calling = Promise.all(Array.from({ length: 8 }, keepCalling));
    hosts = [SECOND_HOST];
    await first.server.stop(5_000);
    await calling;
    expect(failures).toEqual([]);
  });

  it('finds a service that had no replica at first', async () => {
    const stage = await open('late');
    const client = stage.connect({ address: addressOf(stage) });
    await expect(client.write({ text: 'x' }, { patienceMs: 0 })).rejects.toMatchObject({
      grpcCode: status.UNAVAILABLE,
    });
    hosts = ['127.0.0.1'];
    await eventually(async () => (await client.write({ text: 'x' })).text === 'late');
  });

  it('ends an RPC that still waits for a replica when it is closed', async () => {
    const stage = await open('unreachable');
    const client = stage.connect({ address: addressOf(stage) });
    const failed = expect(client.write({ text: 'x' }, { patienceMs: 60_000 })).rejects.toMatchObject({
      grpcCode: status.UNAVAILABLE,
    });
    // When this RPC has failed, the first attempt of the other one has too, and it pauses before the next.
    await expect(client.write({ text: 'x' }, { patienceMs: 0 })).rejects.toMatchObject({
      grpcCode: status.UNAVAILABLE,
    });
    client.close();
    await failed;
  });

  it('fails after a moment when there is no replica, and immediately when told not to wait', async () => {
    const stage = await open('unreachable');
    const client = stage.connect({ address: addressOf(stage) });
    const fail = (patienceMs?: number) => () =>
      expect(client.write({ text: 'x' }, { patienceMs, timeoutMs: 30_000 })).rejects.toMatchObject({
        grpcCode: status.UNAVAILABLE,
      });
    expect(await fastest(1, fail())).toBeGreaterThanOrEqual(1_500);
    expect(await fastest(5, fail(0))).toBeLessThan(promised(1_000));
  });
});
