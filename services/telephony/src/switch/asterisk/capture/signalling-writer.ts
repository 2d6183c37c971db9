import type { Meter } from '@opentelemetry/api';
import type { Logger } from '@sabia/service-kit/logging';
import type { Database } from '@sabia/service-kit/postgres/database';
import { isDatabaseUnavailable, isStatementTimeout } from '@sabia/service-kit/postgres/errors';
import { addSignalling } from '../../../storage/call-signalling';
import type { CallMessages } from './message-book';

export interface SignallingWriterOptions {
  database: Database;
  meter: Meter;
  log: Logger;
}

const MOST_ROWS_TOGETHER = 500;
/** Messages that wait while the database is away. Older ones are dropped: the ladder of such a call follows from its timeline. */
const MOST_WAITING = 50_000;

/** Stores the messages of many calls together. What waits for a database that is away is written first once it is back. */
export function createSignallingWriter({ database, meter, log }: SignallingWriterOptions) {
  const refused = meter.createCounter('sabia_sip_messages_refused_total', {
    description: 'Captured SIP messages that the database refused',
  });
  // The series exists from the start, so that its first increase is seen.
  refused.add(0);
  let waiting: CallMessages[] = [];

  /** One at a time: what the database refuses of one call must not cost another call its messages. */
  async function writeEach(rows: readonly CallMessages[]): Promise<void> {
    for (const row of rows) {
      try {
        await addSignalling(database, [row]);
      } catch (error) {
        if (isPassing(error)) throw error;
        refused.add(row.messages.length);
        log.warn({ err: error, callId: row.callId, leg: row.leg }, 'SIP messages of a call were refused and dropped');
      }
      waiting.shift();
    }
  }

  return {
    /** Fails while the database is away. */
    async write(rows: readonly CallMessages[]): Promise<void> {
      waiting = newest([...waiting, ...rows]);
      while (waiting.length > 0) {
        const together = waiting.slice(0, MOST_ROWS_TOGETHER);
        try {
          await addSignalling(database, together);
          waiting = waiting.slice(together.length);
        } catch (error) {
          if (isPassing(error)) throw error;
          await writeEach(together);
        }
      }
    },
  };
}

const isPassing = (error: unknown): boolean => isDatabaseUnavailable(error) || isStatementTimeout(error);

function newest(rows: CallMessages[]): CallMessages[] {
  let room = MOST_WAITING;
  const first = rows.findLastIndex(({ messages }) => (room -= messages.length) < 0);
  return rows.slice(first + 1);
}
