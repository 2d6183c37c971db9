import { WebhookServiceService } from '@sabia/protos/sabia/webhook/v1/service';
import { createChassis } from '@sabia/service-kit/chassis';
import type { Service } from '@sabia/service-kit/chassis';
import type { Logger } from '@sabia/service-kit/logging';
import type { Config } from './config';
import { handlers } from './rpc/handlers';

export function createService(config: Config, overrides: { log?: Logger } = {}): Service {
  return createChassis({
    name: 'webhook',
    config: config.chassis,
    log: overrides.log,
    definition: WebhookServiceService,
    handlers: () => handlers,
  });
}
