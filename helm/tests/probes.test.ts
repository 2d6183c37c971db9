import { createGrpcClient } from '@sabia/service-kit/grpc/client';
import { createLogger } from '@sabia/service-kit/logging';
import type { Logger } from '@sabia/service-kit/logging';
import { loadConfig as loadGateway } from '../../gateway/src/config';
import { createGateway } from '../../gateway/src/service';
import { loadConfig as loadBilling } from '../../services/billing/src/config';
import { createService as createBilling } from '../../services/billing/src/service';
import { loadConfig as loadExtensions } from '../../services/extensions/src/config';
import { createService as createExtensions } from '../../services/extensions/src/service';
import { loadConfig as loadIdentity } from '../../services/identity/src/config';
import { createService as createIdentity } from '../../services/identity/src/service';
import { loadConfig as loadTelephony } from '../../services/telephony/src/config';
import { createService as createTelephony } from '../../services/telephony/src/service';
import { loadConfig as loadWebhook } from '../../services/webhook/src/config';
import { createService as createWebhook } from '../../services/webhook/src/service';
import { environmentOf, surroundings } from './environment';
import { find, minimal, render } from './render';

type Environment = Record<string, string>;

const services = {
  identity: (env: Environment, log: Logger) => createIdentity(loadIdentity(env), { log }),
  extensions: (env: Environment, log: Logger) => createExtensions(loadExtensions(env), { log }),
  telephony: (env: Environment, log: Logger) => createTelephony(loadTelephony(env), { log }),
  billing: (env: Environment, log: Logger) => createBilling(loadBilling(env), { log }),
  webhook: (env: Environment, log: Logger) => createWebhook(loadWebhook(env), { log }),
};

const objects = render(minimal());
const log = createLogger({ name: 'chart', level: 'silent' });

/** As in the cluster, but on this machine, on free ports, with no backing server reachable. */
function alone(component: string): Environment {
  const environment = environmentOf(find(objects, 'Deployment', component), objects, surroundings);
  const nowhere = '127.0.0.1:1';
  return {
    ...environment,
    ...{ HOST: '127.0.0.1', PORT: '0', GRPC_HOST: '127.0.0.1', GRPC_PORT: '0', METRICS_PORT: '0' },
    ...{
      DATABASE_URL: `postgres://sabia:secret@${nowhere}/sabia`,
      NATS_URL: `nats://${nowhere}`,
      REDIS_URL: `redis://${nowhere}`,
    },
    ...{ ARI_URL: `http://${nowhere}/ari`, AMI_HOST: '127.0.0.1', AMI_PORT: '1', SHUTDOWN_TIMEOUT_MS: '2000' },
    ...Object.fromEntries(
      Object.keys(environment)
        .filter((name) => name.endsWith('_ADDRESS'))
        .map((name) => [name, nowhere]),
    ),
  };
}

const probesOf = (component: string) => {
  const [container] = find(objects, 'Deployment', component).spec.template.spec.containers;
  return { startup: container.startupProbe, readiness: container.readinessProbe, liveness: container.livenessProbe };
};

describe('without its database', () => {
  it.each(Object.keys(services) as (keyof typeof services)[])('%s is alive and not ready', async (name) => {
    const { startup, readiness, liveness } = probesOf(name);
    const service = services[name](alone(name), log);
    const { grpcPort } = await service.start();
    const client = createGrpcClient({}, { address: `127.0.0.1:${grpcPort}` });
    const asks = (probe: { grpc: { service?: string } }) => client.checkHealth(probe.grpc.service ?? '', 60_000);
    try {
      expect(await asks(startup)).toBe(true);
      expect(await asks(liveness)).toBe(true);
      expect(await asks(readiness)).toBe(false);
    } finally {
      client.close();
      await service.stop();
    }
  });

  it('the gateway is alive and not ready', async () => {
    const { startup, readiness, liveness } = probesOf('gateway');
    const gateway = createGateway(loadGateway(alone('gateway')), { log });
    const { port } = await gateway.start();
    const asks = async (probe: { httpGet: { path: string } }) =>
      (await fetch(`http://127.0.0.1:${port}${probe.httpGet.path}`)).status;
    try {
      expect(await asks(startup)).toBe(200);
      expect(await asks(liveness)).toBe(200);
      expect(await asks(readiness)).toBe(503);
    } finally {
      await gateway.stop();
    }
  });
});
