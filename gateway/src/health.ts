import type { RedisConnection } from './clients/redis';
import type { ServiceClient } from './clients/service-clients';

export interface Readiness {
  ready: boolean;
  body: string;
}

export interface ReadinessOptions {
  services: ReadonlyMap<string, ServiceClient>;
  redis: RedisConnection;
  isHearingRevocations: () => boolean;
  isDraining: () => boolean;
}

const CHECK_TIMEOUT_MS = 1_000;

// Without identity no token can be checked. Everything else is missed by some routes only, and each says so itself.
const indispensable = 'identity';

export function createReadiness(options: ReadinessOptions): () => Promise<Readiness> {
  const { services, redis, isHearingRevocations, isDraining } = options;
  let running: Promise<Readiness> | undefined;
  // The route is open to anybody: however many ask, the services are asked once at a time.
  return () => (running ??= check().finally(() => (running = undefined)));

  async function check(): Promise<Readiness> {
    const checks = await Promise.all(
      [...services].map(async ([name, client]) => [name, await client.isServing(CHECK_TIMEOUT_MS)] as const),
    );
    const up = new Map<string, boolean>([...checks, ['redis', !redis.isAway()], ['nats', isHearingRevocations()]]);
    const ready = !isDraining() && up.get(indispensable) === true;
    const dependencies = Object.fromEntries([...up].map(([name, isUp]) => [name, isUp ? 'up' : 'away']));
    return {
      ready,
      body: JSON.stringify({ status: isDraining() ? 'stopping' : ready ? 'ready' : 'waiting', dependencies }),
    };
  }
}
