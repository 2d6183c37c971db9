import type { ChassisConfig } from './config';
import { createConsumer } from './events/consumer/consumer';
import type { ConsumerDefinition } from './events/consumer/definition';
import { connectNats } from './events/nats/connection';
import type { Nats } from './events/nats/connection';
import { createOutbox } from './events/outbox';
import type { Outbox } from './events/outbox';
import { createRelay } from './events/relay/relay';
import { methodsOf, splitPath } from './grpc/definition';
import { createGrpcServer } from './grpc/server';
import type { Handlers } from './grpc/handler';
import type { GrpcServer } from './grpc/server';
import { createHealthMonitor } from './health-monitor';
import type { HealthCheck, HealthMonitor } from './health-monitor';
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

/** What a service adds to the chassis. */
export interface Assembly<D extends object> {
  handlers: Handlers<D>;
  consumers?: ConsumerDefinition[];
  /** Starts the service's own workers; the gRPC server is listening by then, the consumers have not begun. */
  start?: () => Promise<void> | void;
  /** Runs after the consumers have ended, while database, outbox and NATS still work. */
  stop?: () => Promise<void> | void;
  /** Health checks beside 'postgres' and 'nats'. */
  checks?: Record<string, HealthCheck>;
}

export interface ChassisOptions<D extends object> {
  name: string;
  config: ChassisConfig;
  log?: Logger;
  definition: D;
  /** See DatabaseOptions. */
  binaryRows?: boolean;
  /** Builds the service from the shared parts; called once, during start. */
  assemble: (parts: ChassisParts) => Assembly<D>;
}

export interface Service {
  start(): Promise<{ grpcPort: number; metricsPort: number }>;
  stop(): Promise<void>;
}

// The share of the shutdown time that running rpcs may use; the rest is for the phases after them.
const DRAIN_SHARE = 0.6;

/** Starts the parts that all services share in order, and stops them in reverse. */
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

    const { databaseUrl, natsUrl, shardEvents, packEvents } = config;
    const database = createDatabase({
      url: databaseUrl,
      applicationName: `sabia-${name}`,
      poolSize: config.databasePoolSize,
      costlyPoolSize: config.databaseCostlyPoolSize,
      binaryRows: options.binaryRows,
      log,
    });
    lifecycle.onStop('database', () => database.close());

    const nats = connectNats({ url: natsUrl, name: `sabia-${name}`, log, streamReplicas: config.streamReplicas });
    lifecycle.onStop('nats', () => nats.close());

    const format = { shardEvents, packEvents };
    const relay = createRelay({ databaseUrl, nats, log, telemetry, ...format, pollMs: config.outboxPollMs });
    lifecycle.onStop('relay', () => relay.stop());

    const outbox = createOutbox({ poke: () => relay.poke() });
    const assembly = options.assemble({ database, outbox, nats, log, telemetry });
    lifecycle.onStop('service', () => assembly.stop?.());
    const consumers = (assembly.consumers ?? []).map((definition) =>
      createConsumer({ ...definition, database, databaseUrl, nats, log, telemetry }),
    );
    lifecycle.onStop('consumers', async () => {
      await Promise.all(consumers.map((consumer) => consumer.stop()));
    });

    const server = createGrpcServer({
      log,
      telemetry,
      maxConnectionAgeMs: config.maxConnectionAgeMs,
      multiplex: config.plainPaths?.has('multiplex') !== true,
    });
    server.add(options.definition, assembly.handlers);
    const grpcPort = await server.start(config.grpcHost, config.grpcPort);
    lifecycle.onStop('grpc', () => server.stop(config.shutdownTimeoutMs * DRAIN_SHARE));
    // Liveness: a process that answers at all is alive, whatever its health.
    server.setHealth('alive', true);

    relay.start();
    await assembly.start?.();
    consumers.forEach((consumer) => consumer.start());

    const monitor = createMonitor(server, {
      postgres: { required: true, check: () => database.check() },
      // Not required: while NATS is away the outbox holds the events.
      nats: {
        required: false,
        check: () => (nats.connected ? Promise.resolve() : Promise.reject(new Error('not connected'))),
        onChange: (changed) => nats.onStatus(changed),
      },
      ...assembly.checks,
    });
    lifecycle.onStop('health', () => monitor.stop());
    await monitor.start();

    log.info({ grpcPort, metricsPort: telemetry.metricsPort }, 'started');
    return { grpcPort, metricsPort: telemetry.metricsPort };
  }

  function createMonitor(server: GrpcServer, checks: Record<string, HealthCheck>): HealthMonitor {
    const serviceNames = new Set(methodsOf(options.definition).map(([, { path }]) => splitPath(path).service));
    return createHealthMonitor({
      log,
      checks,
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
