import { Client } from '@grpc/grpc-js';
import { eventually } from '@sabia/testkit/eventually';
import { createGrpcClient } from '@sabia/service-kit/grpc/client';
import type { GrpcClientOptions } from '@sabia/service-kit/grpc/client';
import { createGrpcServer } from '@sabia/service-kit/grpc/server';
import type { Handlers } from '@sabia/service-kit/grpc/handler';
import type { GrpcServer } from '@sabia/service-kit/grpc/server';
import { createLogger } from '@sabia/service-kit/logging';
import type { Logger } from '@sabia/service-kit/logging';
import { createTelemetry } from '@sabia/service-kit/telemetry';
import type { Telemetry, TelemetryOptions } from '@sabia/service-kit/telemetry';

export interface Words {
  text: string;
}

function encode(words: Words): Buffer {
  if (typeof words.text !== 'string') {
    throw new TypeError('cannot encode hunter2');
  }
  return Buffer.from(words.text);
}

function decode(bytes: Buffer): Words {
  const text = bytes.toString();
  if (text === 'undecodable') {
    throw new TypeError('cannot decode');
  }
  return { text };
}

const method = <Path extends string>(path: Path) => ({
  path,
  requestStream: false as const,
  responseStream: false as const,
  requestSerialize: encode,
  requestDeserialize: decode,
  responseSerialize: encode,
  responseDeserialize: decode,
});

/** A definition of the shape that ts-proto generates. */
export const EchoService = {
  say: method('/sabia.test.v1.EchoService/Say'),
  write: method('/sabia.test.v1.EchoService/Write'),
  /** Has no handler. */
  hum: method('/sabia.test.v1.EchoService/Hum'),
} as const;

export type EchoHandlers = Handlers<typeof EchoService>;

/** Resolves when the RPCs of this client share a stream. */
export async function untilStreaming(client: { hum(words: Words): Promise<Words> }): Promise<void> {
  const unary = jest.spyOn(Client.prototype, 'makeUnaryRequest');
  try {
    await eventually(async () => {
      const before = unary.mock.calls.length;
      await client.hum({ text: 'x' }).catch(() => undefined);
      return unary.mock.calls.length === before;
    });
  } finally {
    unary.mockRestore();
  }
}

export interface Stage {
  server: GrpcServer;
  port: number;
  telemetry: Telemetry;
  log: Logger;
  logged: Record<string, unknown>[];
  connect(options?: Partial<GrpcClientOptions<typeof EchoService>>): ReturnType<typeof connect>;
  close(): Promise<void>;
}

function connect(options: GrpcClientOptions<typeof EchoService>) {
  return createGrpcClient(EchoService, options);
}

export interface StageOptions {
  handlers: EchoHandlers;
  host?: string;
  port?: number;
  maxConnectionAgeMs?: number;
  multiplex?: boolean;
  spanProcessors?: TelemetryOptions['spanProcessors'];
}

/** A real server on a free port, and the clients that a test connects to it. */
export async function setStage(options: StageOptions): Promise<Stage> {
  const { handlers, host = '127.0.0.1', port = 0, maxConnectionAgeMs = 30_000, multiplex, spanProcessors } = options;
  const logged: Record<string, unknown>[] = [];
  const destination = { write: (line: string) => void logged.push(JSON.parse(line) as Record<string, unknown>) };
  const log = createLogger({ name: 'echo', level: 'debug', destination });
  const telemetry = await createTelemetry({
    serviceName: 'echo',
    metricsPort: 0,
    metricsHost: '127.0.0.1',
    spanProcessors,
  });
  const server = createGrpcServer({ log, telemetry, maxConnectionAgeMs, multiplex });
  server.add(EchoService, handlers);
  const bound = await server.start(host, port).catch(async (error: unknown) => {
    await telemetry.shutdown();
    throw error;
  });
  const clients: { close(): void }[] = [];

  return {
    server,
    port: bound,
    telemetry,
    log,
    logged,
    connect(clientOptions = {}) {
      const client = connect({ address: `127.0.0.1:${bound}`, telemetry, ...clientOptions });
      clients.push(client);
      return client;
    },
    async close() {
      clients.forEach((client) => client.close());
      await server.stop(1_000);
      await telemetry.shutdown();
    },
  };
}

/** Opens stages, with these options unless the test gives others, and closes them after each test. */
export function useStages(defaults: Partial<StageOptions> = {}): (options: StageOptions) => Promise<Stage> {
  const stages: Stage[] = [];
  afterEach(async () => {
    jest.restoreAllMocks();
    await Promise.all(stages.splice(0).map((stage) => stage.close()));
  });
  return async (options) => {
    const stage = await setStage({ ...defaults, ...options });
    stages.push(stage);
    return stage;
  };
}

export const answerWith =
  (text: string) =>
  (_words: Words): Promise<Words> =>
    Promise.resolve({ text });
