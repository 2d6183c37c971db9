import type { WebhookServiceService } from '@sabia/protos/sabia/webhook/v1/service';
import type { Handlers } from '@sabia/service-kit/grpc/handler';
import { deleteIntegration } from './delete-integration';
import type { Dependencies } from './dependencies';
import { getIntegrationHealth } from './get-integration-health';
import { getReplay } from './get-replay';
import { listCallDeliveries } from './list-call-deliveries';
import { listDeliveries } from './list-deliveries';
import { listHandledEvents } from './list-handled-events';
import { listIntegrations } from './list-integrations';
import { matchConstraint } from './match-constraint';
import { replayDeliveries } from './replay-deliveries';
import { replayDelivery } from './replay-delivery';
import { rotateSecret } from './rotate-secret';
import { testIntegration } from './test-integration';
import { upsertIntegration } from './upsert-integration';

/** The implemented RPCs, one file each. Those missing here answer UNIMPLEMENTED. */
export function createHandlers(dependencies: Dependencies): Handlers<WebhookServiceService> {
  return {
    deleteIntegration: deleteIntegration(dependencies),
    getIntegrationHealth: getIntegrationHealth(dependencies),
    getReplay: getReplay(dependencies),
    listCallDeliveries: listCallDeliveries(dependencies),
    listDeliveries: listDeliveries(dependencies),
    listHandledEvents: listHandledEvents(dependencies),
    listIntegrations: listIntegrations(dependencies),
    matchConstraint: matchConstraint(dependencies),
    replayDeliveries: replayDeliveries(dependencies),
    replayDelivery: replayDelivery(dependencies),
    rotateSecret: rotateSecret(dependencies),
    testIntegration: testIntegration(dependencies),
    upsertIntegration: upsertIntegration(dependencies),
  };
}
