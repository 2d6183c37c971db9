import type { Database, Queryable } from '../../postgres/database';

export type Claim = 'claimed' | 'handled' | 'busy';

/** The events that one consumer has handled, and its failed tries. */
export interface Inbox {
  /** Marks the events as handled, in the transaction of their effect; returns those that were not marked before. */
  record(tx: Queryable, eventIds: string[]): Promise<Set<string>>;
  /** Undoes record in the same transaction, for events that were put off. */
  unrecord(tx: Queryable, eventIds: string[]): Promise<void>;
  /** For effects outside a transaction: no other replica begins the same event during the lease. */
  claim(eventId: string, leaseMs: number): Promise<Claim>;
  /** Marks the event as handled after its effect. */
  complete(eventId: string): Promise<void>;
  /** Ends the claim of an event without effect, so that another try may begin at once. */
  release(eventId: string): Promise<void>;
  /** Counts a failed try; returns the number of failed tries. */
  fail(eventId: string): Promise<number>;
  /** Deletes the count of failed tries, for an event that succeeded in the end or was given up. */
  forget(tx: Queryable | undefined, eventIds: string[]): Promise<void>;
  /** Deletes the counts of failed tries of events that were last tried before the time. */
  forgetBefore(before: Date): Promise<void>;
}

export function createInbox(database: Database, consumer: string): Inbox {
  return {
    async record(tx, eventIds) {
      // Sorted, so that two replicas given the same events twice cannot wait for each other.
      const [row] = await tx.query<{ count: number; some: string | null }>(
        `WITH fresh AS (
           INSERT INTO inbox (consumer, event_id) SELECT $1, unnest($2::uuid[]) ON CONFLICT DO NOTHING RETURNING event_id
         )
         SELECT count(*) AS count, CASE WHEN count(*) < cardinality($2::uuid[]) THEN string_agg(event_id::text, ',') END AS some
         FROM fresh`,
        [consumer, [...eventIds].sort()],
        { name: 'inbox-record' },
      );
      // Usually all events are new: then PostgreSQL does not send their ids back.
      return new Set(row?.count === eventIds.length ? eventIds : row?.some?.split(','));
    },

    async unrecord(tx, eventIds) {
      await tx.query('DELETE FROM inbox WHERE consumer = $1 AND event_id = ANY ($2::uuid[])', [consumer, eventIds]);
    },

    async claim(eventId, leaseMs) {
      const [row] = await database.query<{ handled: boolean; claimed: boolean }>(
        `WITH handled AS (SELECT 1 FROM inbox WHERE consumer = $1 AND event_id = $2),
              claimed AS (
                INSERT INTO inbox_attempts AS a (consumer, event_id, claimed_until)
                SELECT $1, $2, now() + $3 * interval '1 millisecond' WHERE NOT EXISTS (SELECT 1 FROM handled)
                ON CONFLICT (consumer, event_id) DO UPDATE SET claimed_until = excluded.claimed_until, updated_at = now()
                WHERE a.claimed_until IS NULL OR a.claimed_until < now()
                RETURNING 1
              )
         SELECT EXISTS (SELECT 1 FROM handled) AS handled, EXISTS (SELECT 1 FROM claimed) AS claimed`,
        [consumer, eventId, leaseMs],
        { name: 'inbox-claim' },
      );
      return row?.handled ? 'handled' : row?.claimed ? 'claimed' : 'busy';
    },

    async complete(eventId) {
      await database.query(
        `WITH attempt AS (DELETE FROM inbox_attempts WHERE consumer = $1 AND event_id = $2)
         INSERT INTO inbox (consumer, event_id) VALUES ($1, $2) ON CONFLICT DO NOTHING`,
        [consumer, eventId],
        { name: 'inbox-complete' },
      );
    },

    async release(eventId) {
      await database.query(
        'UPDATE inbox_attempts SET claimed_until = NULL, updated_at = now() WHERE consumer = $1 AND event_id = $2',
        [consumer, eventId],
      );
    },

    async fail(eventId) {
      const [row] = await database.query<{ tries: number }>(
        `INSERT INTO inbox_attempts AS a (consumer, event_id, tries) VALUES ($1, $2, 1)
         ON CONFLICT (consumer, event_id)
         DO UPDATE SET tries = a.tries + 1, claimed_until = NULL, updated_at = now()
         RETURNING tries`,
        [consumer, eventId],
      );
      return row?.tries ?? 1;
    },

    async forget(tx, eventIds) {
      const db = tx ?? database;
      await db.query('DELETE FROM inbox_attempts WHERE consumer = $1 AND event_id = ANY ($2::uuid[])', [
        consumer,
        eventIds,
      ]);
    },

    async forgetBefore(before) {
      await database.query('DELETE FROM inbox_attempts WHERE consumer = $1 AND updated_at < $2', [consumer, before]);
    },
  };
}
