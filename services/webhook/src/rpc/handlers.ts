import type { WebhookServiceService } from '@sabia/protos/sabia/webhook/v1/service';
import type { Handlers } from '@sabia/service-kit/grpc/handler';

/** The rpcs that are furnished, one file each. Whatever is missing here answers UNIMPLEMENTED. */
export const handlers: Handlers<WebhookServiceService> = {};
