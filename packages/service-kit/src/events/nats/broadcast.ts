import { setTimeout as delay } from 'node:timers/promises';
import { unavailable } from '../../errors';
import type { Nats } from './connection';

/** Reaches only the current subscribers. For cache invalidation, never for facts: those go through the outbox. */
export const broadcastSubject = (type: string): string => `sabia-broadcast.${type}`;

export interface BroadcastOptions {
  timeoutMs?: number;
}

/** Resolves once the NATS server has it, and with that every subscriber that is connected to it is being sent it. */
export async function broadcast(
  nats: Nats,
  subject: string,
  bytes: Uint8Array,
  { timeoutMs = 2_000 }: BroadcastOptions = {},
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
    connection.publish(subject, bytes);
    await Promise.race([connection.flush(), timeout]);
  } catch (error) {
    throw unavailable('NATS is away.', 1, error);
  } finally {
    timer.abort();
  }
}

/** The listener outlives reconnects. What was broadcast while NATS was away is lost: watch `nats.onStatus` and start afresh then. */
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
  // Rejects only when NATS is closed before it was ever reached: then there is nothing to hear.
  subscribe().catch(() => undefined);
  return () => {
    stopped = true;
    unsubscribe();
  };
}
