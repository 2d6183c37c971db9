import { headers } from 'nats';
import { messageIdHeader, onlyForHeader } from '../envelope';
import type { Nats } from '../nats/connection';

export interface LoneEvent {
  id: string;
  subject: string;
  data: Uint8Array;
}

/** Publishes an event again in a message of its own, for one consumer only. */
export async function publishAlone(nats: Nats, durable: string, { id, subject, data }: LoneEvent): Promise<void> {
  if (!nats.connected) {
    throw new Error('NATS is away');
  }
  const messageHeaders = headers();
  messageHeaders.set(messageIdHeader, `alone:${durable}:${id}`);
  messageHeaders.set(onlyForHeader, durable);
  const connection = await nats.connection();
  await connection.jetstream().publish(subject, data, { headers: messageHeaders, timeout: 5_000 });
}
