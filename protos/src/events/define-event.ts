/** The code that is generated for a message. */
export interface Codec<M> {
  readonly $type: string;
  encode(message: M): { finish(): Uint8Array };
  decode(bytes: Uint8Array): M;
}

/** `<service>.<noun>.<verb>`; on NATS its subject is `sabia.<type>`. */
export type EventType = `${string}.${string}.${string}`;

/** The name of an event and the message it carries, shared by its publisher and its consumers. */
export interface EventDefinition<T extends EventType = EventType, M = unknown> {
  readonly type: T;
  /** The full name of the message. */
  readonly message: string;
  encode(message: M): Uint8Array;
  decode(payload: Uint8Array): M;
}

const typePattern = /^[a-z][a-z0-9-]*\.[a-z][a-z0-9-]*\.[a-z][a-z0-9-]*$/;

export function defineEvent<const T extends EventType, M>(type: T, codec: Codec<M>): EventDefinition<T, M> {
  if (!typePattern.test(type)) {
    throw new TypeError(`"${type}" is no event type: <service>.<noun>.<verb> in lower case`);
  }
  return {
    type,
    message: codec.$type,
    encode: (message) => codec.encode(message).finish(),
    decode: (payload) => codec.decode(payload),
  };
}
