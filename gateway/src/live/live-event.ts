import { billingEvents, chargeEvents } from '@sabia/protos/events/billing';
import { telephonyEvents } from '@sabia/protos/events/telephony';
import { webhookEvents } from '@sabia/protos/events/webhook';
import type { ChargeChanged } from '@sabia/protos/sabia/billing/v1/events';
import { ChargeStatus } from '@sabia/protos/sabia/billing/v1/messages';
import type { CallSnapshot } from '@sabia/protos/sabia/telephony/v1/events';
import type { RecordedDelivery } from '@sabia/protos/sabia/webhook/v1/events';
import { readEnvelopes } from '@sabia/service-kit/events/envelope';
import type { ReadEnvelope } from '@sabia/service-kit/events/envelope';
import { deliveryNames, eventNames } from './event-names';

/** One event as a client gets it. */
export interface LiveEvent {
  name: string;
  callId?: string;
  /** JSON. */
  data: string;
}

type Fields = Record<string, unknown>;

/** The events that one message of the stream holds. Throws if it cannot be read. */
export const readLiveEvents = (bytes: Uint8Array): LiveEvent[] => readEnvelopes(bytes).flatMap(readEvents);

/** Several deliveries, or one of anything else. */
function readEvents({ id, type, occurredAt, payload }: ReadEnvelope): LiveEvent[] {
  if (type === webhookEvents.deliveriesRecorded.type) {
    const { deliveries } = webhookEvents.deliveriesRecorded.decode(payload);
    return deliveries.flatMap((delivery, index) => {
      const name = deliveryNames[delivery.status];
      return name === undefined
        ? []
        : [toEvent(`${id}-${index}`, name, delivery.at ?? occurredAt, ofDelivery(delivery))];
    });
  }
  const read = readers[type];
  // A service of a newer release may publish what this gateway does not know.
  return read === undefined
    ? []
    : [toEvent(id, eventNames[type as keyof typeof eventNames], occurredAt, read(payload))];
}

function toEvent(id: string, name: string, at: Date, fields: Fields): LiveEvent {
  return {
    name,
    callId: fields['callId'] as string | undefined,
    data: JSON.stringify({ id, type: name, at, ...fields }),
  };
}

const readers: Readonly<Record<string, (payload: Uint8Array) => Fields>> = {
  [telephonyEvents.callCreated.type]: (payload) => ofCall('queued', telephonyEvents.callCreated.decode(payload).call),
  [telephonyEvents.callRinging.type]: (payload) => ofCall('ringing', telephonyEvents.callRinging.decode(payload).call),
  [telephonyEvents.callAnswered.type]: (payload) =>
    ofCall('answered', telephonyEvents.callAnswered.decode(payload).call),
  [telephonyEvents.callEnded.type]: (payload) => ofCall('ended', telephonyEvents.callEnded.decode(payload).call),
  [telephonyEvents.callRecorded.type]: (payload) => {
    const { call, missingSeconds = 0 } = telephonyEvents.callRecorded.decode(payload);
    return { ...ofCall('ended', call), missingSeconds };
  },
  [telephonyEvents.callPriced.type]: (payload) => {
    const { callId, minutePrice, callPrice, billedSeconds } = telephonyEvents.callPriced.decode(payload);
    return { callId, minutePrice: toReais(minutePrice), callPrice: toReais(callPrice), billedSeconds };
  },
  [billingEvents.balanceChanged.type]: (payload) => {
    const { balance, reserved, available } = billingEvents.balanceChanged.decode(payload);
    return { balance: toReais(balance), reserved: toReais(reserved), available: toReais(available) };
  },
  ...ofEach(
    [telephonyEvents.extensionRegistered, telephonyEvents.extensionUnregistered, telephonyEvents.extensionDisplaced],
    ({ ramal, domain }) => ({ ramal, domain }),
  ),
  ...ofEach(Object.values(chargeEvents), ofCharge),
};

function ofEach<M>(
  definitions: { type: string; decode(payload: Uint8Array): M }[],
  fieldsOf: (message: M) => Fields,
): Record<string, (payload: Uint8Array) => Fields> {
  return Object.fromEntries(definitions.map(({ type, decode }) => [type, (payload) => fieldsOf(decode(payload))]));
}

/** Without metadata and the link to the recording: whoever needs those asks for the call. */
function ofCall(status: string, call: CallSnapshot | undefined): Fields {
  if (call === undefined) {
    throw new TypeError('an event about a call without the call');
  }
  return {
    callId: call.callId,
    status,
    callType: call.callType,
    from: call.from,
    to: call.to,
    userId: call.userId,
    startedAt: call.startedAt ?? null,
    answeredAt: call.answeredAt ?? null,
    endedAt: call.endedAt ?? null,
    duration: call.durationSeconds,
    hangupCause: call.hangupCause ?? null,
    hangupCauseCode: call.hangupCauseCode ?? null,
  };
}

function ofCharge({ chargeId, status, amount, paidAmount, refundedAmount }: ChargeChanged): Fields {
  return {
    chargeId,
    status: ChargeStatus[status],
    amount: toReais(amount),
    paidAmount: toReais(paidAmount),
    refundedAmount: toReais(refundedAmount),
  };
}

function ofDelivery(delivery: RecordedDelivery): Fields {
  return {
    deliveryId: delivery.deliveryId,
    integrationId: delivery.integrationId,
    callId: delivery.callId,
    eventType: delivery.eventType,
    status: delivery.status,
    reason: delivery.reason ?? null,
    responseStatus: delivery.responseStatus ?? null,
    latencyMs: delivery.latencyMs ?? null,
    nextAttemptAt: delivery.nextAttemptAt ?? null,
    test: delivery.test,
  };
}

/** Money travels between services in 1/10000 real. */
const toReais = (money: number): number => money / 10_000;
