import type { Msg } from 'nats';
import type { TraceHeaders } from '../../trace-context';
import { readEnvelope } from '../envelope';

export interface ReceivedEvent {
  id: string;
  type: string;
  version: number;
  accountId: number;
  occurredAt: Date;
  payload: Buffer;
  /** 1 the first time NATS hands it over. */
  deliveryCount: number;
  /** Where it came from; for what is done about it later, outside of the handler's own span. */
  trace?: TraceHeaders;
}

/** A message of JetStream that waits for exactly one of ack, retry and giveUp. */
export interface Delivery {
  readonly message: Msg;
  readonly streamSequence: number;
  readonly deliveryCount: number;
  /** Handled: never again. */
  ack(): void;
  /** Again, after the delay. */
  retry(delayMs?: number): void;
  /** Never again, though it was not handled. */
  giveUp(): void;
  /** Still at it: JetStream starts its clock afresh. */
  stillWorking(): void;
}

export interface EventDelivery extends Delivery {
  readonly event: ReceivedEvent;
}

const ack = Buffer.from('+ACK');
const term = Buffer.from('+TERM');
const workInProgress = Buffer.from('+WPI');
const nanosPerMilli = 1_000_000;

export function createDelivery(message: Msg, onSettled: (delivery: Delivery) => void): Delivery {
  const { deliveryCount, streamSequence } = readAckSubject(message.reply ?? '');
  let settled = false;
  const settle = (answer: Uint8Array): void => {
    if (!settled) {
      settled = true;
      respond(answer);
      onSettled(delivery);
    }
  };
  const respond = (answer: Uint8Array): void => {
    try {
      message.respond(answer);
    } catch {
      // The connection is closed: JetStream will deliver the message again, and the inbox will know it.
    }
  };
  const delivery: Delivery = {
    message,
    streamSequence,
    deliveryCount,
    ack: () => settle(ack),
    retry: (delayMs = 0) =>
      settle(Buffer.from(`-NAK ${JSON.stringify({ delay: Math.round(delayMs * nanosPerMilli) })}`)),
    giveUp: () => settle(term),
    stillWorking: () => {
      if (!settled) {
        respond(workInProgress);
      }
    },
  };
  return delivery;
}

/** Throws when the message is no event of ours. */
export function toEventDelivery(delivery: Delivery): EventDelivery {
  const { traceparent, tracestate, id, type, version, accountId, occurredAt, payload } = readEnvelope(
    delivery.message.data,
  );
  const trace = { traceparent: traceparent || undefined, tracestate: tracestate || undefined };
  const { deliveryCount } = delivery;
  const event = { id, type, version, accountId, occurredAt, payload, deliveryCount, trace };
  return Object.assign(delivery, { event });
}

/** `$JS.ACK.<stream>.<consumer>.<deliveries>.<stream sequence>.…`, or the same behind a domain and an account. */
export function readAckSubject(subject: string): { deliveryCount: number; streamSequence: number } {
  const words = subject.split('.');
  const first = words.length > 9 ? 6 : 4;
  return { deliveryCount: Number(words[first]), streamSequence: Number(words[first + 1]) };
}
