import { setTimeout as delay } from 'node:timers/promises';
import { outboxInsert } from '@sabia/service-kit/events/outbox';
import type { OutgoingEvent } from '@sabia/service-kit/events/outbox';
import type { Pool } from 'pg';
import { hasRelation } from './with-database';

/** As many as telephony writes in a batch under load. */
const writtenAtOnce = 32;
const pauseMs = 50;

/** Lets telephony publish events as its own, and waits until they are on NATS. */
export async function publishThroughOutbox(database: Pool, events: OutgoingEvent[]): Promise<void> {
  const { intoOutbox, waiting } = await formOf(database);
  for (let first = 0; first < events.length; first += writtenAtOnce) {
    const { text, values } = outboxInsert(events.slice(first, first + writtenAtOnce));
    await database.query(intoOutbox(text), values);
  }
  for (let isWaiting = true; isWaiting;) {
    await delay(pauseMs);
    isWaiting = (await database.query(`SELECT FROM ${waiting} LIMIT 1`)).rows.length > 0;
  }
}

interface OutboxForm {
  intoOutbox(text: string): string;
  waiting: string;
}

/** At ed6199a, to which the goals refer, an outbox has fewer columns, and holds only what waits. */
async function formOf(database: Pool): Promise<OutboxForm> {
  if (await hasRelation(database, 'telephony.outbox_waiting')) {
    return { intoOutbox: ofTelephony, waiting: 'telephony.outbox_waiting' };
  }
  const intoOutbox = (text: string): string =>
    ofTelephony(text).replace(', services_only, also)', ')').replace(', e.services_only, e.also', '');
  return { intoOutbox, waiting: 'telephony.outbox' };
}

const ofTelephony = (text: string): string => text.replace('INTO outbox', 'INTO telephony.outbox');
