import { Client, Server, ServerCredentials, status } from '@grpc/grpc-js';
import { eventually } from '@sabia/testkit/eventually';
import { createGrpcClient } from '@sabia/service-kit/grpc/client';
import { EchoService, setStage, untilStreaming } from './echo-service';
import type { Stage, StageOptions, Words } from './echo-service';
import { createTcpProxy } from './tcp-proxy';

describe('calls that share a stream', () => {
  const stages: Stage[] = [];

  async function open(options: StageOptions): Promise<Stage> {
    const stage = await setStage(options);
    stages.push(stage);
    return stage;
  }

  afterEach(async () => {
    jest.restoreAllMocks();
    await Promise.all(stages.splice(0).map((stage) => stage.close()));
  });

  const answerWith =
    (text: string) =>
    (_words: Words): Promise<Words> =>
      Promise.resolve({ text });

  it('each get their own answer, whatever the order of the answers', async () => {
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
    const alone = jest.spyOn(Client.prototype, 'makeUnaryRequest');
    const texts = Array.from({ length: 100 }, (_, index) => `word ${index}`);
    const answers = Promise.all(texts.map((text) => client.say({ text })));
    await eventually(() => waiting.size === texts.length);
    [...texts].reverse().forEach((text) => waiting.get(text)?.());
    await expect(answers).resolves.toEqual(texts.map((text) => ({ text: `${text}!` })));
    expect(alone).not.toHaveBeenCalled();
  });

  it('are answered before their server stops, and the next ones go to another', async () => {
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

  it('spread over all replicas, to the one with the least to do', async () => {
    const heard = { a: 0, b: 0 };
    const never = new Promise<Words>(() => undefined);
    const handlersOf = (name: 'a' | 'b') => ({
      write: answerWith(name),
      say: () => {
        heard[name] += 1;
        return never;
      },
    });
    const [a, b] = [await open({ handlers: handlersOf('a') }), await open({ handlers: handlersOf('b') })];
    const client = a.connect({ address: `ipv4:127.0.0.1:${a.port},127.0.0.1:${b.port}` });
    await untilStreaming(client);
    await eventually(async () => {
      const answers = await Promise.all(Array.from({ length: 4 }, () => client.write({ text: 'x' })));
      return new Set(answers.map(({ text }) => text)).size === 2;
    });
    await untilStreaming(client);
    const calls = Array.from({ length: 10 }, () => client.say({ text: 'x' }, { timeoutMs: 500 }));
    await Promise.allSettled(calls);
    expect(heard).toEqual({ a: 5, b: 5 });
  });

  it('fail once when the connection breaks; idempotent ones go again', async () => {
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

  it('are made one by one with a server that knows no streams', async () => {
    const server = new Server();
    const { path, requestDeserialize, responseSerialize } = EchoService.say;
    const answer = (call: { request: Words }, callback: (error: null, words: Words) => void): void =>
      callback(null, { text: `${call.request.text}!` });
    server.register(path, answer, responseSerialize, requestDeserialize, 'unary');
    const port = await new Promise<number>((resolve, reject) => {
      server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, bound) =>
        error ? reject(error) : resolve(bound),
      );
    });
    const client = createGrpcClient(EchoService, { address: `127.0.0.1:${port}` });
    for (let count = 0; count < 20; count += 1) {
      await expect(client.say({ text: 'x' })).resolves.toEqual({ text: 'x!' });
    }
    client.close();
    server.forceShutdown();
  });

  it('are not held up by a large one, which goes alone', async () => {
    const stage = await open({ handlers: { say: ({ text }) => Promise.resolve({ text: `${text.length}` }) } });
    const client = stage.connect();
    await untilStreaming(client);
    const alone = jest.spyOn(Client.prototype, 'makeUnaryRequest');
    const large = client.say({ text: 'x'.repeat(1024 * 1024) });
    await expect(client.say({ text: 'small' })).resolves.toEqual({ text: '5' });
    await expect(large).resolves.toEqual({ text: '1048576' });
    expect(alone).toHaveBeenCalledTimes(1);
  });
});
