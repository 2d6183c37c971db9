import { setTimeout as delay } from 'node:timers/promises';
import { unavailable } from '../../errors';
import type { Nats } from './connection';

/** Reaches current subscribers only. For invalidating caches, never for facts: those go through the outbox. */
export const broadcastSubject = (type: string): string => `sabia-broadcast.${type}`;

export interface BroadcastOptions {
  timeoutMs?: number;
  /** The subject on which listeners acknowledge. */
  reply?: string;
}

/** Resolves once the NATS server has received the message and sends it to its subscribers, who may not have read it yet. */
export async function broadcast(
  nats: Nats,
  subject: string,
  bytes: Uint8Array,
  { timeoutMs = 2_000, reply }: BroadcastOptions = {},
): Promise<void> {
  if (!nats.connected) {
    throw unavailable('NATS is away.');
  }
  const connection = await nats.connection();
  const timer = new AbortController();
  const timeout = delay(timeoutMs, undefined, { signal: timer.signal }).then(
    () => Promise.reject(unavailable('NATS did not answer in time.')),
    () => undefined,
  );
  try {
    connection.publish(subject, bytes, { reply });
    await Promise.race([connection.flush(), timeout]);
  } catch (error) {
    throw unavailable('NATS is away.', 1, error);
  } finally {
    timer.abort();
  }
}

/** The subscription survives reconnects. Broadcasts sent while NATS was away are lost: follow `nats.onStatus` to start afresh. */
export function onBroadcast(nats: Nats, subject: string, listener: (bytes: Uint8Array) => void): () => void {
  let stopped = false;
  let unsubscribe = (): void => undefined;
  const subscribe = async (): Promise<void> => {
    const connection = await nats.connection();
    if (stopped) {
      return;
    }
    const subscription = connection.subscribe(subject, {
      callback: (error, message) => {
        if (error === null) {
          listener(message.data);
        }
      },
    });
    unsubscribe = () => subscription.unsubscribe();
  };
  // Rejects only when NATS is closed before it was ever reached.
  subscribe().catch(() => undefined);
  return () => {
    stopped = true;
    unsubscribe();
  };
}
