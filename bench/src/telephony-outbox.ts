import { setTimeout as delay } from 'node:timers/promises';
import { outboxInsert } from '@sabia/service-kit/events/outbox';
import type { OutgoingEvent } from '@sabia/service-kit/events/outbox';
import type { Pool } from 'pg';

/** As many as telephony writes in a batch under load. */
const writtenAtOnce = 32;
const pauseMs = 50;

/** Lets telephony publish events as its own, and waits until they are on NATS. */
export async function publishThroughOutbox(database: Pool, events: OutgoingEvent[]): Promise<void> {
  for (let first = 0; first < events.length; first += writtenAtOnce) {
    const { text, values } = outboxInsert(events.slice(first, first + writtenAtOnce));
    await database.query(text.replace('INTO outbox', 'INTO telephony.outbox'), values);
  }
  for (let isWaiting = true; isWaiting;) {
    await delay(pauseMs);
    isWaiting = (await database.query('SELECT FROM telephony.outbox_waiting LIMIT 1')).rows.length > 0;
  }
}
