import { connectNats } from '@sabia/service-kit/events/nats/connection';
import { createLifecycle } from '@sabia/service-kit/lifecycle';
import { createLogger } from '@sabia/service-kit/logging';
import type { Logger } from '@sabia/service-kit/logging';
import { createTelemetry } from '@sabia/service-kit/telemetry';
import { assemble } from './assemble';
import { connectRedis } from './clients/redis';
import { createServiceClients } from './clients/service-clients';
import type { GatewayConfig } from './config';
import { defaultProtoRoot, loadContract } from './contract/contract';
import { buildRoutes } from './contract/routes';

export interface GatewayOverrides {
  log?: Logger;
  /** Folders with protos; the first that has a file wins. */
  protoRoots?: string[];
  now?: () => number;
  /** Milliseconds on a clock that nobody sets. */
  elapsed?: () => number;
}

export interface GatewayPorts {
  port: number;
  metricsPort: number;
  /** The port for web phones only, if one is configured. */
  sipPort?: number;
  /** The port for operators only, if one is configured. */
  operatorPort?: number;
}

export interface Gateway {
  start(): Promise<GatewayPorts>;
  stop(): Promise<void>;
}

const FIRST_CONTACT_MS = 2_000;

/** Opens the connections in order, and closes them in reverse after the servers have drained. */
export function createGateway(config: GatewayConfig, overrides: GatewayOverrides = {}): Gateway {
  const { protoRoots = [defaultProtoRoot()], now = Date.now, elapsed = () => performance.now() } = overrides;
  const log = overrides.log ?? createLogger({ name: 'gateway', level: config.logLevel });
  const lifecycle = createLifecycle({ log, timeoutMs: config.shutdownTimeoutMs });

  async function start(): Promise<GatewayPorts> {
    const contract = loadContract(protoRoots);
    const routes = buildRoutes(contract);

    const telemetry = await createTelemetry({
      serviceName: 'gateway',
      otlpEndpoint: config.otlpEndpoint,
      metricsPort: config.metricsPort,
      metricsHost: config.host,
    });
    lifecycle.onStop('telemetry', () => telemetry.shutdown(), 2_000);
    const redis = connectRedis(config.redisUrl, config.redisTimeoutMs, log);
    lifecycle.onStop('redis', () => redis.close());
    const nats = connectNats({ url: config.natsUrl, name: 'gateway', log });
    lifecycle.onStop('nats', () => nats.close());
    const services = createServiceClients(contract, config.addresses, {
      telemetry,
      timeoutMs: config.requestTimeoutMs,
    });
    lifecycle.onStop('service clients', () => services.forEach((client) => client.close()));

    const gateway = assemble(config, { routes, redis, nats, services, log, telemetry, now, elapsed });
    lifecycle.onStop('http servers', () => gateway.stop());
    // Until Redis is connected, requests would be counted by this process alone.
    await redis.firstContact(FIRST_CONTACT_MS);
    const ports = { ...(await gateway.start()), metricsPort: telemetry.metricsPort };
    log.info({ ...ports, routes: routes.length }, 'gateway is listening');
    return ports;
  }

  return {
    async start() {
      try {
        return await start();
      } catch (error) {
        await lifecycle.stop();
        throw error;
      }
    },
    stop: () => lifecycle.stop(),
  };
}
