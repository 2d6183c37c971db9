import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { TestIntegrationResponse } from '@sabia/protos/sabia/webhook/v1/messages';
import { newEventId } from '@sabia/service-kit/events/outbox';
import { requireCaller } from '@sabia/service-kit/grpc/handler';
import { sampledTraceparent } from '@sabia/service-kit/trace-context';
import { writePayload } from '../domain/payload';
import { sampleEvent } from '../domain/sample';
import { insertDeliveries } from '../storage/deliveries';
import type { NewDelivery } from '../storage/deliveries';
import { deliveryIdOf } from '../storage/delivery-id';
import { findDeliveries } from '../storage/delivery-list';
import type { ListedDelivery } from '../storage/delivery-list';
import type { Dependencies, Handler } from './dependencies';
import { requireIntegration, requireWebhook, toDeliveryMessage } from './messages';

/** The response shows the results so far; those of a slower receiver appear in the list of deliveries. */
const patienceMs = 5_000;
const lookEveryMs = 50;

/** Sends samples on the same path as every other event, so that the test proves that path. */
export function testIntegration({ database, now, poke }: Dependencies): Handler<'testIntegration'> {
  return async ({ id }, context) => {
    const { accountId, domain, timeZone } = requireCaller(context);
    const { settings, constraintPairs } = requireWebhook(await requireIntegration(database, accountId, id));
    const at = now();
    const callId = randomUUID();
    const traceparent = sampledTraceparent() ?? null;
    const rows = settings.types.map((type): NewDelivery => {
      const eventId = newEventId(at);
      const event = sampleEvent({ id: eventId, callId, type, domain, timeZone, metadata: constraintPairs, now: at });
      const payload = writePayload(event, settings);
      const deliveryId = deliveryIdOf(eventId, id, at);
      return { id: deliveryId, integrationId: id, eventId, eventType: type, callId, payload, traceparent };
    });
    await insertDeliveries(database, rows, { now: at, test: true });
    poke();

    const ids = rows.map((row) => row.id);
    const giveUpAt = performance.now() + patienceMs;
    let deliveries: ListedDelivery[];
    do {
      await delay(lookEveryMs, undefined, { signal: context.signal });
      deliveries = await findDeliveries(database, id, ids);
    } while (deliveries.some(({ status }) => status === 'pending') && performance.now() < giveUpAt);
    return TestIntegrationResponse.fromPartial({ deliveries: deliveries.map(toDeliveryMessage) });
  };
}
