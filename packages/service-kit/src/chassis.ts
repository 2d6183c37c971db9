import type { ChassisConfig } from './config';
import { createConsumer } from './events/consumer/consumer';
import type { ConsumerDefinition } from './events/consumer/consumer';
import { connectNats } from './events/nats/connection';
import type { Nats } from './events/nats/connection';
import { createOutbox } from './events/outbox';
import type { Outbox } from './events/outbox';
import { createRelay } from './events/relay/relay';
import { splitPath } from './grpc/channel-options';
import { methodsOf } from './grpc/definition';
import { createGrpcServer } from './grpc/server';
import type { Handlers } from './grpc/handler';
import type { GrpcServer } from './grpc/server';
import { createHealthMonitor } from './health-monitor';
import type { HealthCheck } from './health-monitor';
import { createLifecycle } from './lifecycle';
import { createLogger } from './logging';
import type { Logger } from './logging';
import { createDatabase } from './postgres/database';
import type { Database } from './postgres/database';
import { createTelemetry } from './telemetry';
import type { Telemetry } from './telemetry';

export interface ChassisParts {
  database: Database;
  outbox: Outbox;
  nats: Nats;
  log: Logger;
  telemetry: Telemetry;
}

export interface ChassisOptions<D extends object> {
  name: string;
  config: ChassisConfig;
  log?: Logger;
  definition: D;
  handlers: (parts: ChassisParts) => Handlers<D>;
  consumers?: (parts: ChassisParts) => ConsumerDefinition[];
  /** For what a service has beside rpcs and consumers: its engine, its clients. */
  start?: (parts: ChassisParts) => Promise<void> | void;
  /** Runs after the consumers have ended, while database, outbox and NATS still work. */
  stop?: (parts: ChassisParts) => Promise<void> | void;
  /** Beside 'postgres' and 'nats'; a required one decides whether the service serves. */
  checks?: (parts: ChassisParts) => Record<string, HealthCheck>;
}

export interface Service {
  start(): Promise<{ grpcPort: number; metricsPort: number }>;
  stop(): Promise<void>;
}

// Of the time for the whole shutdown, so that something is left for the phases behind it.
const DRAIN_SHARE = 0.6;

/** What all services share: the order in which their parts come up, and the reverse in which they go down. */
export function createChassis<D extends object>(options: ChassisOptions<D>): Service {
  const { name, config } = options;
  const log = options.log ?? createLogger({ name, level: config.logLevel });
  const lifecycle = createLifecycle({ log, timeoutMs: config.shutdownTimeoutMs });

  async function start(): Promise<{ grpcPort: number; metricsPort: number }> {
    const telemetry = await createTelemetry({
      serviceName: name,
      otlpEndpoint: config.otlpEndpoint,
      metricsPort: config.metricsPort,
      metricsHost: config.grpcHost,
    });
    lifecycle.onStop('telemetry', () => telemetry.shutdown());

    const { databaseUrl, natsUrl } = config;
    const database = createDatabase({
      url: databaseUrl,
      applicationName: `sabia-${name}`,
      poolSize: config.databasePoolSize,
      costlyPoolSize: config.databaseCostlyPoolSize,
      log,
    });
    lifecycle.onStop('database', () => database.close());

    const nats = connectNats({ url: natsUrl, name: `sabia-${name}`, log, streamReplicas: config.streamReplicas });
    lifecycle.onStop('nats', () => nats.close());

    const relay = createRelay({ databaseUrl, nats, log, telemetry, pollMs: config.outboxPollMs });
    lifecycle.onStop('relay', () => relay.stop());

    const outbox = createOutbox({ poke: () => relay.poke() });
    const parts: ChassisParts = { database, outbox, nats, log, telemetry };
    const handlers = options.handlers(parts);
    const consumers = (options.consumers?.(parts) ?? []).map((definition) =>
      createConsumer({ ...definition, database, databaseUrl, nats, log, telemetry }),
    );
    lifecycle.onStop('hooks', () => options.stop?.(parts));
    lifecycle.onStop('consumers', async () => {
      await Promise.all(consumers.map((consumer) => consumer.stop()));
    });

    const server = createGrpcServer({
      log,
      telemetry,
      maxConnectionAgeMs: config.maxConnectionAgeMs,
      multiplex: config.plainPaths?.has('multiplex') !== true,
    });
    server.add(options.definition, handlers);
    const grpcPort = await server.start(config.grpcHost, config.grpcPort);
    lifecycle.onStop('grpc', () => server.stop(config.shutdownTimeoutMs * DRAIN_SHARE));
    // For whoever restarts what hangs: true as long as it can be said.
    server.setHealth('alive', true);

    relay.start();
    await options.start?.(parts);
    consumers.forEach((consumer) => consumer.start());

    const monitor = createMonitor(server, parts);
    lifecycle.onStop('health', () => monitor.stop());
    await monitor.start();

    log.info({ grpcPort, metricsPort: telemetry.metricsPort }, 'started');
    return { grpcPort, metricsPort: telemetry.metricsPort };
  }

  function createMonitor(server: GrpcServer, parts: ChassisParts) {
    const { database, nats } = parts;
    const serviceNames = new Set(methodsOf(options.definition).map(([, { path }]) => splitPath(path).service));
    return createHealthMonitor({
      log,
      checks: {
        postgres: { required: true, check: () => database.check() },
        // Not required: while NATS is away the outbox holds the events.
        nats: {
          required: false,
          check: () => (nats.connected ? Promise.resolve() : Promise.reject(new Error('not connected'))),
          onChange: (changed) => nats.onStatus(changed),
        },
        ...options.checks?.(parts),
      },
      report(part, healthy) {
        server.setHealth(part, healthy);
        if (part === '') {
          serviceNames.forEach((serviceName) => server.setHealth(serviceName, healthy));
        }
      },
    });
  }

  let starting: ReturnType<typeof start> | undefined;
  return {
    start() {
      starting ??= start().catch(async (error: unknown) => {
        // A service that could not start leaves nothing open.
        await lifecycle.stop();
        throw error;
      });
      return starting;
    },
    stop() {
      return lifecycle.stop();
    },
  };
}
