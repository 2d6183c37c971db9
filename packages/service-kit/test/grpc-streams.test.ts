import { Client, Metadata, Server, ServerCredentials, credentials, status } from '@grpc/grpc-js';
import { RpcStreamServiceService, StreamedRpc } from '@sabia/protos/sabia/api/v1/rpc_stream';
import type { OpenRpcStreamResponse } from '@sabia/protos/sabia/api/v1/rpc_stream';
import { eventually } from '@sabia/testkit/eventually';
import { createGrpcClient } from '@sabia/service-kit/grpc/client';
import { EchoService, answerWith, untilStreaming, useStages } from './echo-service';
import type { Words } from './echo-service';
import { createTcpProxy } from './tcp-proxy';

describe('RPCs that share a stream', () => {
  const open = useStages();

  it('each get their own response, in whatever order the responses come', async () => {
    const waiting = new Map<string, () => void>();
    const stage = await open({
      handlers: {
        say: async (words) => {
          await new Promise<void>((resolve) => waiting.set(words.text, resolve));
          return { text: `${words.text}!` };
        },
      },
    });
    const client = stage.connect();
    await untilStreaming(client);
    const unary = jest.spyOn(Client.prototype, 'makeUnaryRequest');
    const texts = Array.from({ length: 100 }, (_, index) => `word ${index}`);
    const answers = Promise.all(texts.map((text) => client.say({ text })));
    await eventually(() => waiting.size === texts.length);
    [...texts].reverse().forEach((text) => waiting.get(text)?.());
    await expect(answers).resolves.toEqual(texts.map((text) => ({ text: `${text}!` })));
    expect(unary).not.toHaveBeenCalled();
  });

  it('are answered before their server stops, and later ones go to another replica', async () => {
    const release: (() => void)[] = [];
    const slow = async (words: Words): Promise<Words> => {
      await new Promise<void>((resolve) => release.push(resolve));
      return words;
    };
    const leaving = await open({ handlers: { say: slow, write: answerWith('leaving') } });
    const staying = await open({ handlers: { say: slow, write: answerWith('staying') } });
    const client = leaving.connect({ address: `ipv4:127.0.0.1:${leaving.port},127.0.0.1:${staying.port}` });
    await eventually(async () => (await client.write({ text: 'x' })).text === 'leaving');
    await untilStreaming(client);

    const underWay = Promise.all(Array.from({ length: 20 }, (_, index) => client.say({ text: `${index}` })));
    await eventually(() => release.length === 20);
    const stopped = leaving.server.stop(120_000);
    for (let count = 0; count < 20; count += 1) {
      await client.write({ text: 'x' });
    }
    release.forEach((resolve) => resolve());
    await expect(underWay).resolves.toHaveLength(20);
    await stopped;
    await expect(client.write({ text: 'x' })).resolves.toEqual({ text: 'staying' });
  });

  it('are answered by a stopping server over a connection past its maximum age', async () => {
    const ageMs = 100;
    const stage = await open({ handlers: { write: answerWith('still here') }, maxConnectionAgeMs: ageMs });
    const client = new Client(`127.0.0.1:${stage.port}`, credentials.createInsecure());
    const { path, requestSerialize, responseDeserialize } = RpcStreamServiceService.openRpcStream;
    const stream = client.makeBidiStreamRequest(path, requestSerialize, responseDeserialize);
    const heard: OpenRpcStreamResponse[] = [];
    stream.on('data', (response: OpenRpcStreamResponse) => heard.push(response));
    stream.on('error', () => undefined);
    await eventually(() => heard.some(({ leaving }) => leaving));
    // A connection lives at most a tenth longer than its maximum age.
    await new Promise((resolve) => setTimeout(resolve, ageMs * 2));

    let hasStopped = false;
    const stopped = stage.server.stop(120_000).then(() => (hasStopped = true));
    await new Promise((resolve) => setImmediate(resolve));
    const rpc = StreamedRpc.fromPartial({ id: 1, path: EchoService.write.path, timeoutMs: 60_000 });
    stream.write({ rpcs: [rpc], cancelledIds: [] });
    await eventually(() => heard.some(({ responses }) => responses.length > 0));
    expect(heard.flatMap(({ responses }) => responses).map(({ message }) => message.toString())).toEqual([
      'still here',
    ]);
    expect(hasStopped).toBe(false);
    stream.end();
    await stopped;
    client.close();
  });

  it('spread evenly over all replicas', async () => {
    const heard = { a: 0, b: 0 };
    const handlersOf = (name: 'a' | 'b') => ({
      say: (words: Words) => {
        heard[name] += 1;
        return Promise.resolve(words);
      },
      write: answerWith(name),
    });
    const [a, b] = [await open({ handlers: handlersOf('a') }), await open({ handlers: handlersOf('b') })];
    const client = a.connect({ address: `ipv4:127.0.0.1:${a.port},127.0.0.1:${b.port}` });
    const unary = jest.spyOn(Client.prototype, 'makeUnaryRequest');
    await eventually(async () => {
      unary.mockClear();
      const answers = [await client.write({ text: 'x' }), await client.write({ text: 'x' })];
      return unary.mock.calls.length === 0 && new Set(answers.map(({ text }) => text)).size === 2;
    });
    for (let count = 0; count < 10; count += 1) {
      await client.say({ text: 'x' });
    }
    expect(heard).toEqual({ a: 5, b: 5 });
  });

  it('are sent one by one to every replica while one of them offers no streams', async () => {
    const old = await startPlainServer();
    const young = await open({ handlers: { say: answerWith('young') } });
    const client = young.connect({ address: `ipv4:127.0.0.1:${old.port},127.0.0.1:${young.port}` });
    const texts = new Set<string>();
    await eventually(async () => {
      texts.add((await client.say({ text: 'old' })).text);
      return texts.size === 2;
    });
    const unary = jest.spyOn(Client.prototype, 'makeUnaryRequest');
    await eventually(async () => {
      unary.mockClear();
      const answers = await Promise.all(Array.from({ length: 4 }, () => client.say({ text: 'old' })));
      return unary.mock.calls.length === 4 && new Set(answers.map(({ text }) => text)).size === 2;
    });
    client.close();
    old.server.forceShutdown();
  });

  it('move away from a server that no longer responds', async () => {
    const { server, port } = await startPlainServer((added) => {
      const { path, requestDeserialize, responseSerialize } = RpcStreamServiceService.openRpcStream;
      const open = (stream: { sendMetadata(metadata: Metadata): void; resume(): void }): void => {
        stream.sendMetadata(new Metadata());
        stream.resume();
      };
      added.register(path, open, responseSerialize, requestDeserialize, 'bidi');
    });
    const client = createGrpcClient(EchoService, { address: `127.0.0.1:${port}` });
    const ask = (): Promise<string> =>
      client.say({ text: 'x' }, { timeoutMs: 300 }).then(
        ({ text }) => text,
        (error: { grpcCode: status }) => status[error.grpcCode],
      );
    await eventually(async () => (await ask()) === 'DEADLINE_EXCEEDED');
    await expect(client.say({ text: 'x' })).resolves.toEqual({ text: 'x!' });
    client.close();
    server.forceShutdown();
  });

  describe('when one of two replicas is frozen', () => {
    async function openPair() {
      const heard: string[] = [];
      const handlersOf = (name: string) => {
        const handle = ({ text }: Words): Promise<Words> => {
          heard.push(`${name} ${text}`);
          return Promise.resolve({ text: name });
        };
        return { say: handle, write: handle };
      };
      const [frozen, other] = [
        await open({ handlers: handlersOf('frozen') }),
        await open({ handlers: handlersOf('other') }),
      ];
      const proxy = await createTcpProxy('127.0.0.1', frozen.port);
      const address = `ipv4:127.0.0.1:${proxy.port},127.0.0.1:${other.port}`;
      const client = frozen.connect({ address, idempotentMethods: ['say'], defaultTimeoutMs: 60_000 });
      await eventually(async () => {
        const answers = [await client.write({ text: 'x' }), await client.write({ text: 'x' })];
        return new Set(answers.map(({ text }) => text)).size === 2;
      });
      await untilStreaming(client);
      heard.length = 0;
      return { client, proxy, heard };
    }

    it('those that may be sent again are answered by the other, and later ones go there at once', async () => {
      const { client, proxy, heard } = await openPair();
      proxy.freeze();
      const texts = Array.from({ length: 10 }, (_, index) => `${index}`);
      const repeatable = { repeatable: true };
      const answers = [
        ...texts.map((text) => client.say({ text })),
        ...texts.map((text) => client.write({ text }, repeatable)),
      ];
      await expect(Promise.all(answers)).resolves.toEqual(answers.map(() => ({ text: 'other' })));
      for (const text of texts) await expect(client.write({ text })).resolves.toEqual({ text: 'other' });
      expect(heard.filter((line) => line.startsWith('frozen'))).toEqual([]);
      proxy.thaw();
      await eventually(async () => (await client.write({ text: 'x' })).text === 'frozen');
      await proxy.close();
    });

    it('those that may not be sent again fail, and are not sent again', async () => {
      const { client, proxy, heard } = await openPair();
      proxy.freeze();
      const outcomes = await Promise.allSettled([client.write({ text: '1' }), client.write({ text: '2' })]);
      expect(outcomes.filter(({ status: outcome }) => outcome === 'rejected')).toMatchObject([
        { reason: { grpcCode: status.UNAVAILABLE } },
      ]);
      expect(heard).toHaveLength(1);
      await proxy.close();
    });

    it('an RPC that takes long is waited for, as its replica still answers pings', async () => {
      const release: (() => void)[] = [];
      const slow = async (words: Words): Promise<Words> => {
        await new Promise<void>((resolve) => release.push(resolve));
        return words;
      };
      const pair = [await open({ handlers: { write: slow } }), await open({ handlers: { write: slow } })] as const;
      const client = pair[0].connect({ address: `ipv4:127.0.0.1:${pair[0].port},127.0.0.1:${pair[1].port}` });
      await untilStreaming(client);
      const asked = Array.from({ length: 4 }, (_, index) => client.write({ text: `${index}` }, { timeoutMs: 60_000 }));
      await eventually(() => release.length === 4);
      // Longer than a frozen replica is waited for.
      await new Promise((resolve) => setTimeout(resolve, 5_000));
      release.forEach((resolve) => resolve());
      await expect(Promise.all(asked)).resolves.toHaveLength(4);
    });
  });

  it('all end when their client is closed and the connection breaks', async () => {
    let running = 0;
    const never = (): Promise<Words> => {
      running += 1;
      return new Promise(() => undefined);
    };
    const stage = await open({ handlers: { say: never, write: never } });
    const proxy = await createTcpProxy('127.0.0.1', stage.port);
    const client = stage.connect({ address: `127.0.0.1:${proxy.port}`, idempotentMethods: ['say'] });
    await untilStreaming(client);
    const rpcs = Promise.allSettled([
      client.say({ text: 'x' }),
      client.write({ text: 'x' }),
      client.say({ text: 'y' }),
    ]);
    await eventually(() => running === 3);
    client.close();
    await proxy.close();
    const unavailable = { status: 'rejected', reason: { grpcCode: status.UNAVAILABLE } };
    await expect(rpcs).resolves.toMatchObject([unavailable, unavailable, unavailable]);
  });

  it('fail when the connection breaks, unless they are idempotent: those are sent again', async () => {
    const heard: string[] = [];
    const isThere = new Promise<Words>(() => undefined);
    let broken = false;
    const handle = (words: Words): Promise<Words> => {
      heard.push(words.text);
      return broken ? Promise.resolve(words) : isThere;
    };
    const stage = await open({ handlers: { say: handle, write: handle } });
    const proxy = await createTcpProxy('127.0.0.1', stage.port);
    const client = stage.connect({ address: `127.0.0.1:${proxy.port}`, idempotentMethods: ['say'] });
    await untilStreaming(client);
    const [idempotent, other] = [client.say({ text: 'idempotent' }), client.write({ text: 'other' })];
    const failed = expect(other).rejects.toMatchObject({ name: 'TransportError', grpcCode: status.UNAVAILABLE });
    await eventually(() => heard.length === 2);
    broken = true;
    await proxy.cut();
    await proxy.restore();
    await failed;
    await expect(idempotent).resolves.toEqual({ text: 'idempotent' });
    expect(heard.filter((text) => text === 'other')).toHaveLength(1);
    await untilStreaming(client);
    await proxy.close();
  });

  it('are sent one by one to a server that offers no streams', async () => {
    const { server, port } = await startPlainServer();
    const client = createGrpcClient(EchoService, { address: `127.0.0.1:${port}` });
    for (let count = 0; count < 20; count += 1) {
      await expect(client.say({ text: 'x' })).resolves.toEqual({ text: 'x!' });
    }
    client.close();
    server.forceShutdown();
  });

  it('are not delayed by a large one, which is sent on its own', async () => {
    const stage = await open({ handlers: { say: ({ text }) => Promise.resolve({ text: `${text.length}` }) } });
    const client = stage.connect();
    await untilStreaming(client);
    const unary = jest.spyOn(Client.prototype, 'makeUnaryRequest');
    const large = client.say({ text: 'x'.repeat(1024 * 1024) });
    await expect(client.say({ text: 'small' })).resolves.toEqual({ text: '5' });
    await expect(large).resolves.toEqual({ text: '1048576' });
    expect(unary).toHaveBeenCalledTimes(1);
  });
});

/** A server of a release that offers no shared streams. */
async function startPlainServer(prepare: (server: Server) => void = () => undefined) {
  const server = new Server();
  const { path, requestDeserialize, responseSerialize } = EchoService.say;
  const answer = (call: { request: Words }, callback: (error: null, words: Words) => void): void =>
    callback(null, { text: `${call.request.text}!` });
  server.register(path, answer, responseSerialize, requestDeserialize, 'unary');
  prepare(server);
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, bound) =>
      error ? reject(error) : resolve(bound),
    );
  });
  return { server, port };
}
