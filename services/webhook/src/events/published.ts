import { webhookEvents } from '@sabia/protos/events/webhook';
import { newEventId, outgoingEvent } from '@sabia/service-kit/events/outbox';
import type { OutgoingEvent } from '@sabia/service-kit/events/outbox';
import type { DeliveriesRecorded } from '@sabia/protos/sabia/webhook/v1/events';
import type { DisabledIntegration } from '../domain/integration';
import type { ToldDelivery } from '../domain/told-delivery';

/** Every event that webhook publishes. */

export const integrationDisabled = ({ id, accountId, userId, gateway, reason }: DisabledIntegration): OutgoingEvent =>
  outgoingEvent(webhookEvents.integrationDisabled, { integrationId: id, userId, gateway, reason }, { accountId });

/** Deliveries that one event tells of. */
const atOnce = 100;

/** As few events as possible, because each is a row: written once, published once and deleted once. */
export function deliveriesRecorded(deliveries: readonly ToldDelivery[], at: Date): OutgoingEvent[] {
  const accounts = new Map<number, ToldDelivery[]>();
  for (const delivery of deliveries) {
    const own = accounts.get(delivery.accountId);
    if (own === undefined) {
      accounts.set(delivery.accountId, [delivery]);
    } else {
      own.push(delivery);
    }
  }
  return [...accounts].flatMap(([accountId, own]) =>
    Array.from({ length: Math.ceil(own.length / atOnce) }, (_, index) =>
      outgoingEvent(
        webhookEvents.deliveriesRecorded,
        { deliveries: own.slice(index * atOnce, (index + 1) * atOnce).map(toMessage) },
        // With an id from the start: a transaction that is tried again publishes the same event.
        { accountId, id: newEventId(at), occurredAt: at },
      ),
    ),
  );
}

const toMessage = (told: ToldDelivery): DeliveriesRecorded['deliveries'][number] => ({
  deliveryId: told.deliveryId,
  integrationId: told.integrationId,
  eventType: told.eventType,
  callId: told.callId ?? undefined,
  status: told.status,
  reason: told.reason,
  responseStatus: told.responseStatus,
  latencyMs: told.latencyMs,
  nextAttemptAt: told.nextAttemptAt,
  test: told.test,
  at: told.at,
});
