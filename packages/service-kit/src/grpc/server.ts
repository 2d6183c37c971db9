import { Server, ServerCredentials } from '@grpc/grpc-js';
import type { Logger } from '../logging';
import type { Telemetry } from '../telemetry';
import { serverChannelOptions } from './channel-options';
import { methodsOf } from './definition';
import type { Handler, Handlers } from './handler';
import { serveStreams } from './multiplex/serve';
import { createHealth } from './server/health';
import { createServing } from './server/serving';
import type { ServedMethod } from './server/serving';
import { serveUnary } from './server/unary';

export interface GrpcServerOptions {
  log: Logger;
  telemetry: Telemetry;
  maxConnectionAgeMs: number;
  /** Whether clients may open streams that many RPCs share; without them each RPC has a stream of its own. */
  multiplex?: boolean;
}

export interface GrpcServer {
  add<D extends object>(definition: D, handlers: Handlers<D>): void;
  setHealth(name: string, serving: boolean): void;
  /** Resolves to the port, which differs from the given one if that is 0. */
  start(host: string, port: number): Promise<number>;
  /** Running RPCs may finish within the grace time; those that still run then are cancelled. */
  stop(graceMs: number): Promise<void>;
}

const CANCELLED_HANDLERS_MS = 2_000;

export function createGrpcServer(options: GrpcServerOptions): GrpcServer {
  const { log, telemetry, maxConnectionAgeMs, multiplex = true } = options;
  const server = new Server(serverChannelOptions(maxConnectionAgeMs));
  const health = createHealth();
  const serving = createServing({ log, telemetry });
  const methods = new Map<string, ServedMethod>();
  const streams = multiplex ? serveStreams(server, serving, methods, maxConnectionAgeMs) : undefined;
  health.addTo(server);

  return {
    add(definition, handlers) {
      for (const [name, method] of methodsOf(definition)) {
        const handler = (handlers as Record<string, Handler<unknown, unknown> | undefined>)[name];
        const served = { method, handler };
        methods.set(method.path, served);
        serveUnary(server, serving, served);
      }
    },
    setHealth(name, isServing) {
      health.set(name, isServing);
    },
    start(host, port) {
      const address = host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
      return new Promise((resolve, reject) => {
        server.bindAsync(address, ServerCredentials.createInsecure(), (error, bound) => {
          if (error) {
            reject(error);
          } else {
            resolve(bound);
          }
        });
      });
    },
    async stop(graceMs) {
      health.close();
      const left = streams?.leave() ?? Promise.resolve();
      const closed = new Promise<void>((resolve) => server.tryShutdown(() => resolve()));
      // grpc-js counts a connection past its maximum age as closed although RPCs still run on it, or are on their way.
      const drained = Promise.all([closed, left.then(() => serving.settled())]);
      if (await within(drained, graceMs)) {
        return;
      }
      log.warn({ running: serving.running() }, 'grace time is over, cancelling the RPCs still running');
      serving.cancelAll();
      streams?.end();
      server.forceShutdown();
      // A cancelled handler keeps its database connections until it has noticed.
      if (!(await within(serving.settled(), CANCELLED_HANDLERS_MS))) {
        log.error({ running: serving.running() }, 'handlers do not react to cancellation');
      }
    },
  };
}

async function within(work: Promise<unknown>, limitMs: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const timeUp = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), limitMs);
  });
  try {
    return await Promise.race([work.then(() => true), timeUp]);
  } finally {
    clearTimeout(timer);
  }
}
