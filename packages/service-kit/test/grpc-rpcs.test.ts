import { status } from '@grpc/grpc-js';
import { Caller, Role } from '@sabia/protos/sabia/api/v1/caller';
import { ErrorKind } from '@sabia/protos/sabia/api/v1/error';
import { eventually } from '@sabia/testkit/eventually';
import { conflict, invalid, unavailable } from '@sabia/service-kit/errors';
import { requireCaller } from '@sabia/service-kit/grpc/handler';
import type { RpcContext } from '@sabia/service-kit/grpc/handler';
import { currentScope, runInScope } from '@sabia/service-kit/request-scope';
import type { RequestScope } from '@sabia/service-kit/request-scope';
import { setStage, untilStreaming } from './echo-service';
import type { EchoHandlers, Stage, Words } from './echo-service';
import { createTcpProxy } from './tcp-proxy';

const scopeWith = (more: Partial<RequestScope> = {}): RequestScope => ({
  requestId: 'request-1',
  signal: new AbortController().signal,
  ...more,
});

/** Resolves when the handler's signal aborts, as a well-behaved handler does. */
const untilAborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error));
  });

describe.each([
  { way: 'with a stream of its own', multiplex: false },
  { way: 'over a shared stream', multiplex: true },
])('an RPC $way', ({ multiplex }) => {
  let stage: Stage | undefined;

  async function open(handlers: EchoHandlers, options: Partial<Parameters<Stage['connect']>[0]> = {}) {
    stage = await setStage({ handlers, multiplex });
    return connect(options);
  }

  async function connect(options: Partial<Parameters<Stage['connect']>[0]> = {}) {
    const client = stage!.connect(options);
    if (multiplex) {
      await untilStreaming(client);
    }
    return client;
  }

  afterEach(async () => {
    await stage?.close();
    stage = undefined;
  });

  it('carries request and response', async () => {
    const client = await open({ say: ({ text }) => Promise.resolve({ text: `${text}!` }) });
    await expect(client.say({ text: 'olá' })).resolves.toEqual({ text: 'olá!' });
  });

  it('passes on request id, caller, client address, idempotency key and deadline', async () => {
    let seen: RpcContext | undefined;
    const say: EchoHandlers['say'] = (words, context) => {
      seen = context;
      expect(currentScope()).toBe(context);
      return Promise.resolve(words);
    };
    const client = await open({ say }, { defaultTimeoutMs: 600_000 });
    const caller = Caller.fromPartial({
      accountId: 7,
      userId: 9,
      email: 'ana@exemplo.com.br',
      role: Role.ADMIN,
      tokenHash: Buffer.from('hash'),
    });
    const deadline = new Date(Date.now() + 300_000);
    const scope = scopeWith({ caller, clientIp: '2001:db8::1', idempotencyKey: 'chave-ç-1', deadline });
    await runInScope(scope, () => client.say({ text: 'x' }));
    expect(seen).toMatchObject({
      requestId: 'request-1',
      caller,
      clientIp: '2001:db8::1',
      idempotencyKey: 'chave-%e7-1',
    });
    expect(Math.abs((seen?.deadline?.getTime() ?? 0) - deadline.getTime())).toBeLessThan(60_000);
    expect(requireCaller(seen as RpcContext)).toEqual(caller);
  });

  it('rejects an RPC that needs a caller when there is none', async () => {
    const client = await open({ say: (words, context) => Promise.resolve(requireCaller(context) && words) });
    await expect(client.say({ text: 'x' })).rejects.toMatchObject({
      kind: ErrorKind.UNAUTHENTICATED,
      code: 'AUTHORIZATION_REQUIRED',
    });
  });

  it('treats a caller that cannot be decoded as absent', async () => {
    const client = await open({ say: (words, context) => Promise.resolve(requireCaller(context) && words) });
    const encode = jest.spyOn(Caller, 'encode').mockReturnValue({ finish: () => Buffer.from([0xff]) } as never);
    try {
      const scope = scopeWith({ caller: Caller.fromPartial({ userId: 1 }) });
      await expect(runInScope(scope, () => client.say({ text: 'x' }))).rejects.toMatchObject({
        kind: ErrorKind.UNAUTHENTICATED,
      });
    } finally {
      encode.mockRestore();
    }
  });

  it("rejects with the service's own error", async () => {
    const violations = [{ field: 'email', code: 'uniqueness', message: 'already exists' }];
    const client = await open({
      say: () => Promise.reject(invalid('user', violations)),
      write: () => Promise.reject(conflict('LAST_ADMIN', 'The last ADMIN stays.')),
    });
    await expect(client.say({ text: 'x' })).rejects.toMatchObject({
      name: 'ServiceError',
      context: 'user',
      violations,
    });
    await expect(client.write({ text: 'x' })).rejects.toMatchObject({ kind: ErrorKind.CONFLICT, code: 'LAST_ADMIN' });
  });

  it('does not reveal an unexpected error, and logs it with the request id', async () => {
    const client = await open({ say: () => Promise.reject(new Error('the table hunter2 is missing')) });
    const error: unknown = await runInScope(scopeWith({ requestId: 'lost-and-found' }), () =>
      client.say({ text: 'x' }).catch((reason: unknown) => reason),
    );
    expect(error).toMatchObject({ name: 'TransportError', grpcCode: status.INTERNAL, message: 'internal error' });
    expect(stage?.logged).toContainEqual(
      expect.objectContaining({
        level: 'error',
        requestId: 'lost-and-found',
        rpc: 'sabia.test.v1.EchoService/Say',
        traceId: expect.stringMatching(/^[0-9a-f]{32}$/) as string,
        err: expect.objectContaining({ message: 'the table hunter2 is missing' }) as object,
      }),
    );
  });

  it('treats a response that cannot be encoded, and a handler that throws synchronously, as unexpected errors', async () => {
    const client = await open({
      say: () => Promise.resolve({} as Words),
      write: () => {
        throw new Error('at once');
      },
    });
    await expect(client.say({ text: 'x' })).rejects.toMatchObject({
      grpcCode: status.INTERNAL,
      message: 'internal error',
    });
    await expect(client.write({ text: 'x' })).rejects.toMatchObject({ grpcCode: status.INTERNAL });
    expect(stage?.logged.filter(({ level }) => level === 'error')).toHaveLength(2);
  });

  it('answers a request that cannot be decoded with a bad request', async () => {
    const client = await open({ say: (words) => Promise.resolve(words) });
    await expect(client.say({ text: 'undecodable' })).rejects.toMatchObject({ kind: ErrorKind.BAD_REQUEST });
  });

  it('answers UNIMPLEMENTED for an RPC without a handler', async () => {
    const client = await open({});
    await expect(client.say({ text: 'x' })).rejects.toMatchObject({ grpcCode: status.UNIMPLEMENTED });
  });

  it('ends with DEADLINE_EXCEEDED for the client, and the handler is told to stop', async () => {
    let reason: unknown;
    const client = await open({
      say: async (_words, { signal }) => {
        try {
          return await untilAborted(signal);
        } catch (error) {
          reason = error;
          throw error;
        }
      },
    });
    // An RPC whose deadline passes before it has reached the service ends on the client's side only.
    await eventually(async () => {
      await expect(client.say({ text: 'x' }, { timeoutMs: 60 })).rejects.toMatchObject({
        name: 'TransportError',
        grpcCode: status.DEADLINE_EXCEEDED,
      });
      return reason !== undefined;
    });
    // The deadline of a request that was long on its way passes later on this side: then the client goes before it.
    const { grpcCode } = reason as { grpcCode: number };
    expect([status.DEADLINE_EXCEEDED, status.CANCELLED]).toContain(grpcCode);
  });

  it("takes the request's deadline when it is nearer than the client's own", async () => {
    const client = await open({ say: (_words, { signal }) => untilAborted(signal) }, { defaultTimeoutMs: 600_000 });
    const startedAt = Date.now();
    const scope = scopeWith({ deadline: new Date(startedAt + 60) });
    await expect(runInScope(scope, () => client.say({ text: 'x' }))).rejects.toMatchObject({
      grpcCode: status.DEADLINE_EXCEEDED,
    });
    expect(Date.now() - startedAt).toBeLessThan(60_000);
  });

  it('cancels the handler when the client has gone', async () => {
    const running = jest.fn();
    let reason: unknown;
    const client = await open({
      say: (_words, { signal }) => {
        running();
        signal.addEventListener('abort', () => (reason = signal.reason as unknown));
        return untilAborted(signal);
      },
    });
    const gone = new AbortController();
    const rpc = runInScope(scopeWith({ signal: gone.signal }), () => client.say({ text: 'x' }));
    const failed = expect(rpc).rejects.toMatchObject({ name: 'TransportError', grpcCode: status.CANCELLED });
    await eventually(() => running.mock.calls.length === 1);
    gone.abort();
    await failed;
    await eventually(() => reason !== undefined);
    expect(reason).toMatchObject({ grpcCode: status.CANCELLED });
  });

  it('cancels the handler when the connection breaks', async () => {
    let signal: AbortSignal | undefined;
    await open({
      say: (_words, context) => {
        signal = context.signal;
        return untilAborted(context.signal);
      },
    });
    const proxy = await createTcpProxy('127.0.0.1', stage?.port ?? 0);
    const client = await connect({ address: `127.0.0.1:${proxy.port}` });
    const failed = expect(client.say({ text: 'x' })).rejects.toMatchObject({ grpcCode: status.UNAVAILABLE });
    await eventually(() => signal !== undefined);
    await proxy.close();
    await failed;
    await eventually(() => signal?.aborted);
  });

  it('does not abort the signal of an RPC that was answered', async () => {
    let signal: AbortSignal | undefined;
    const client = await open({
      say: (words, context) => {
        signal = context.signal;
        return Promise.resolve(words);
      },
    });
    await client.say({ text: 'x' });
    await client.say({ text: 'y' });
    expect(signal?.aborted).toBe(false);
  });

  it('is not sent for a request that was cancelled', async () => {
    const handler = jest.fn((words: Words) => Promise.resolve(words));
    const client = await open({ say: handler });
    const scope = scopeWith({ signal: AbortSignal.abort() });
    await expect(runInScope(scope, () => client.say({ text: 'x' }))).rejects.toMatchObject({
      grpcCode: status.CANCELLED,
    });
    expect(handler).not.toHaveBeenCalled();
  });

  it('is retried on UNAVAILABLE if it is idempotent, and only then', async () => {
    const attempts = { say: 0, write: 0 };
    const flaky = (name: 'say' | 'write') => (words: Words) => {
      attempts[name] += 1;
      return attempts[name] < 3 ? Promise.reject(unavailable()) : Promise.resolve(words);
    };
    const client = await open({ say: flaky('say'), write: flaky('write') }, { idempotentMethods: ['say'] });
    await expect(client.say({ text: 'x' })).resolves.toEqual({ text: 'x' });
    expect(attempts.say).toBe(3);
    await expect(client.write({ text: 'x' })).rejects.toMatchObject({ kind: ErrorKind.UNAVAILABLE });
    expect(attempts.write).toBe(1);
  });

  it('is not retried on any other failure', async () => {
    let attempts = 0;
    const client = await open(
      {
        say: () => {
          attempts += 1;
          return Promise.reject(new Error('a bug'));
        },
      },
      { idempotentMethods: ['say'] },
    );
    await expect(client.say({ text: 'x' })).rejects.toMatchObject({ grpcCode: status.INTERNAL });
    expect(attempts).toBe(1);
  });

  it('rejects requests over 4 MiB and responses over 32 MiB without breaking the connection', async () => {
    const mebibytes = (count: number) => 'x'.repeat(count * 1024 * 1024);
    const client = await open({
      say: (words) => Promise.resolve(words),
      write: ({ text }) => Promise.resolve({ text: mebibytes(Number(text)) }),
    });
    const request = client.say({ text: `${mebibytes(4)}!` });
    await expect(request).rejects.toMatchObject({ grpcCode: status.RESOURCE_EXHAUSTED });
    await expect(client.write({ text: '33' })).rejects.toMatchObject({ grpcCode: status.INTERNAL });
    await expect(client.write({ text: '5' })).resolves.toEqual({ text: mebibytes(5) });
    await expect(client.say({ text: 'small' })).resolves.toEqual({ text: 'small' });
  });

  it('fails with UNAVAILABLE when no server listens', async () => {
    const client = await open({});
    await stage?.server.stop(100);
    await expect(client.say({ text: 'x' })).rejects.toMatchObject({
      name: 'TransportError',
      grpcCode: status.UNAVAILABLE,
    });
  });
});
