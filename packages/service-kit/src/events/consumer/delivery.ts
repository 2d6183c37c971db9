import type { EventDefinition, EventType } from '@sabia/protos/events/define-event';
import type { Msg } from 'nats';
import type { TraceHeaders } from '../../trace-context';
import { Envelope } from '@sabia/protos/sabia/events/v1/envelope';
import { onlyForHeader, readEnvelopes } from '../envelope';
import type { ReadEnvelope } from '../envelope';
import type { LoneEvent } from './publish-alone';
import { settledWithTheLast } from './settlement';
import type { EventSettlement, Settlement } from './settlement';

interface EventFacts {
  readonly id: string;
  readonly version: number;
  readonly accountId: number;
  readonly occurredAt: Date;
  /** 1 for the first delivery by NATS. */
  readonly deliveryCount: number;
  /** The trace of the publisher, for work that goes on after the handler's own span. */
  readonly trace?: TraceHeaders;
}

/** An event of one of the definitions; its type tells which one, and with that the type of its message. */
export type ReceivedEvent<E extends EventDefinition = EventDefinition> =
  E extends EventDefinition<infer T, infer M> ? EventFacts & { readonly type: T; readonly message: M } : never;

/** A message of JetStream; settled by exactly one of ack, retry and giveUp. */
export interface Delivery extends Settlement {
  readonly message: Msg;
  readonly streamSequence: number;
  readonly deliveryCount: number;
  /** Restarts the acknowledgement timeout of JetStream. */
  stillWorking(): void;
}

/** An event of a message, which is settled with the last of its events. */
export interface EventDelivery extends EventSettlement, Pick<Delivery, 'streamSequence' | 'deliveryCount'> {
  readonly event: ReceivedEvent;
  /** The message that carries it. */
  readonly carrier: Delivery;
  /** Whether this consumer may have tried it before. */
  readonly isAgain: boolean;
  /** A message with this event alone. */
  alone(): LoneEvent;
}

const ack = Buffer.from('+ACK');
const term = Buffer.from('+TERM');
const workInProgress = Buffer.from('+WPI');
/** Without a delay: one of zero would wait for a timer of JetStream, and later messages would be delivered before. */
export const again = Buffer.from('-NAK');
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
      // The connection is closed: JetStream delivers the message again, and the inbox recognises it.
    }
  };
  const delivery: Delivery = {
    message,
    streamSequence,
    deliveryCount,
    ack: () => settle(ack),
    retry: (delayMs = 0) =>
      settle(
        delayMs === 0 ? again : Buffer.from(`-NAK ${JSON.stringify({ delay: Math.round(delayMs * nanosPerMilli) })}`),
      ),
    giveUp: () => settle(term),
    stillWorking: () => {
      if (!settled) {
        respond(workInProgress);
      }
    },
  };
  return delivery;
}

export interface EventDeliveryOptions {
  definitions: ReadonlyMap<EventType, EventDefinition>;
  publishAlone(event: LoneEvent): Promise<void>;
  onEventSettled(): void;
}

/** The events of a message that are among the definitions. Throws when the message is not an event. */
export function toEventDeliveries(
  carrier: Delivery,
  { definitions, publishAlone, onEventSettled }: EventDeliveryOptions,
): EventDelivery[] {
  const { message, streamSequence, deliveryCount } = carrier;
  const envelopes = readEnvelopes(message.data);
  const known = envelopes.filter(({ type }) => definitions.has(type as EventType));
  const aloneOf = (envelope: ReadEnvelope): LoneEvent => ({
    id: envelope.id,
    subject: message.subject,
    data: envelopes.length === 1 ? message.data : Envelope.encode({ ...envelope, also: [] }).finish(),
  });
  const settlements = settledWithTheLast({
    message: carrier,
    events: known.length,
    publishAlone: (position) => publishAlone(aloneOf(known[position]!)),
    onEventSettled,
  });
  const isAgain = deliveryCount > 1 || message.headers?.has(onlyForHeader) === true;
  return known.map((envelope, position) => {
    const { ack, retry, postpone, giveUp } = settlements[position]!;
    const definition = definitions.get(envelope.type as EventType)!;
    const event = new EventOfEnvelope(envelope, definition, deliveryCount) as ReceivedEvent;
    const alone = () => aloneOf(envelope);
    return { event, carrier, streamSequence, deliveryCount, isAgain, alone, ack, retry, postpone, giveUp };
  });
}

/** A class, as an object with a getter written in place costs ten times as much to make. */
class EventOfEnvelope implements EventFacts {
  readonly id: string;
  readonly version: number;
  readonly accountId: number;
  readonly occurredAt: Date;
  readonly trace: TraceHeaders;
  readonly #payload: Uint8Array;

  constructor(
    { id, version, accountId, occurredAt, traceparent, tracestate, payload }: ReadEnvelope,
    private readonly definition: EventDefinition,
    readonly deliveryCount: number,
  ) {
    this.id = id;
    this.version = version;
    this.accountId = accountId;
    this.occurredAt = occurredAt;
    this.trace = { traceparent: traceparent || undefined, tracestate: tracestate || undefined };
    this.#payload = payload;
  }

  get type(): EventType {
    return this.definition.type;
  }

  /** Decoded by the handler that reads it: a message that cannot be decoded is a failure of its own event only. */
  get message(): unknown {
    return this.definition.decode(this.#payload);
  }
}

export interface AckSubject {
  deliveryCount: number;
  streamSequence: number;
  /** Counts what the consumer has sent. */
  consumerSequence: number;
}

/** Reads `$JS.ACK.<stream>.<consumer>.<deliveries>.<stream sequence>.<consumer sequence>.…`, with or without a domain and an account in front. */
export function readAckSubject(subject: string): AckSubject {
  const words = subject.split('.');
  const first = words.length > 9 ? 6 : 4;
  return {
    deliveryCount: Number(words[first]),
    streamSequence: Number(words[first + 1]),
    consumerSequence: Number(words[first + 2]),
  };
}
