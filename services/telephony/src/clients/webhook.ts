import type { CallDelivery, ConstraintMatch } from '@sabia/protos/sabia/webhook/v1/messages';
import { WebhookServiceService } from '@sabia/protos/sabia/webhook/v1/service';
import { createGrpcClient } from '@sabia/service-kit/grpc/client';
import type { Telemetry } from '@sabia/service-kit/telemetry';

export interface Webhook {
  /** The webhook deliveries of a call, in the account of the current request. */
  deliveriesOf(callId: string): Promise<CallDelivery[]>;
  /** The same, with the request of each attempt. */
  wholeDeliveriesOf(callId: string): Promise<CallDelivery[]>;
  /** Whether each of the calls satisfies the constraint, by their metadata and in their order. */
  matchConstraint(constraint: string, metadata: string[]): Promise<ConstraintMatch[]>;
  /** Returns the events that webhook has turned into deliveries. */
  handledEvents(eventIds: string[]): Promise<Set<string>>;
  close(): void;
}

export function createWebhookClient({ address, telemetry }: { address: string; telemetry?: Telemetry }): Webhook {
  const client = createGrpcClient(WebhookServiceService, {
    address,
    telemetry,
    idempotentMethods: ['listCallDeliveries', 'listHandledEvents', 'matchConstraint'],
    // A timeline without deliveries is better than a slow one.
    defaultTimeoutMs: 2_000,
  });
  return {
    async deliveriesOf(callId) {
      const { deliveries } = await client.listCallDeliveries({ callId, whole: false });
      return deliveries;
    },
    async wholeDeliveriesOf(callId) {
      const { deliveries } = await client.listCallDeliveries({ callId, whole: true });
      return deliveries;
    },
    async matchConstraint(webhookConstraint, metadata) {
      const { matches } = await client.matchConstraint({ webhookConstraint, metadata });
      return matches;
    },
    async handledEvents(eventIds) {
      const handled = await client.listHandledEvents({ eventIds });
      return new Set(handled.eventIds);
    },
    close: () => client.close(),
  };
}
