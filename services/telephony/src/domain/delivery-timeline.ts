import type { CallDelivery, Delivery, DeliveryAttempt } from '@sabia/protos/sabia/webhook/v1/messages';
import type { TimelineEntry } from './timeline';

/** One entry per delivery attempt; an event that was never sent has one entry that says why, or that it waits. */
export function entriesOfDelivery({ integrationId, gateway, delivery }: CallDelivery): TimelineEntry[] {
  if (delivery === undefined) {
    return [];
  }
  const receiver = { integrationId, gateway };
  const { attempts } = delivery;
  if (attempts.length === 0) {
    return [unsent(delivery, receiver)];
  }
  return attempts.map((attempt, index) => attempted(delivery, receiver, attempt, index + 1));
}

interface Receiver {
  integrationId: number;
  gateway: string;
}

function unsent(delivery: Delivery, receiver: Receiver): TimelineEntry {
  const { id, eventType, status, reason, createdAt, nextAttemptAt } = delivery;
  const waits = status === 'pending' || status === 'retrying';
  const message = `${eventType} ${waits ? 'waits to be sent' : 'not sent'} to "${receiver.gateway}"`;
  const detail = { ...receiver, deliveryId: id, eventType, status, reason: reason ?? null };
  return entry(createdAt, message, waits ? { ...detail, nextAttemptAt: nextAttemptAt ?? null } : detail);
}

function attempted(delivery: Delivery, receiver: Receiver, made: DeliveryAttempt, attempt: number): TimelineEntry {
  const { id, eventType, status, reason, nextAttemptAt, attempts } = delivery;
  const { at, status: answered, latencyMs, error } = made;
  const arrived = answered !== undefined && answered >= 200 && answered < 300;
  const message = arrived
    ? `${eventType} delivered to "${receiver.gateway}"`
    : `${eventType} to "${receiver.gateway}" failed`;
  const detail = { ...receiver, deliveryId: id, eventType, attempt, answered: answered ?? null, latencyMs };
  const fault = arrived ? {} : { error: error ?? `The receiver answered ${answered}.` };
  // The state of the delivery belongs to the last attempt; earlier ones were followed by another.
  const standing =
    attempt === attempts.length ? { status, reason: reason ?? null, nextAttemptAt: nextAttemptAt ?? null } : {};
  return entry(at, message, { ...detail, ...fault, ...standing });
}

const entry = (at: Date | undefined, message: string, detail: object): TimelineEntry => ({
  at: at ?? new Date(0),
  kind: 'delivery',
  message,
  detail,
});
