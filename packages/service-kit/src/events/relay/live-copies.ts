import type { Logger } from '../../logging';
import { isToldLive, livePublicationOf } from '../envelope';
import { duplicateWindowMs } from '../nats/topology';
import type { BatchPublisher } from './batch-publisher';
import type { RelayMetrics } from './metrics';
import type { OutboxRow } from './outbox-session';

export interface LiveCopiesOptions {
  publisher: BatchPublisher;
  /** Creates the stream if it is missing. */
  ensureStream: () => Promise<void>;
  isConnected: () => boolean;
  /** True for rows that are published again: accounts were told of them. */
  wasTold: (row: OutboxRow) => boolean;
  metrics: Pick<RelayMetrics, 'refused' | 'dropped'>;
  log: Pick<Logger, 'warn' | 'info'>;
  now?: () => number;
}

/** The copies of events for the stream that accounts follow. While that stream refuses them, services still get their events. */
export interface LiveCopies {
  /** Publishes the copies of these rows, or holds them. Throws when NATS is away. */
  publish(rows: OutboxRow[]): Promise<void>;
  /** Tries the held copies again when it is time, without being waited for. */
  retry(): void;
  /** The rows whose copies are not stored: another relay would publish them again. */
  held(): number[];
}

const mostHeld = 5_000;
const mostAtOnce = 500;
const firstPauseMs = 100;
const lastPauseMs = 5_000;

export function createLiveCopies(options: LiveCopiesOptions): LiveCopies {
  const { publisher, ensureStream, isConnected, wasTold, metrics, log, now = Date.now } = options;
  /** In the order of the outbox. */
  const waiting = new Map<number, { row: OutboxRow; since: number }>();
  let trying = false;
  let failures = 0;
  let retryAt = 0;

  function hold(rows: OutboxRow[], reason: string): void {
    if (waiting.size === 0) {
      log.warn({ reason }, 'the stream of live events refuses them; services still get theirs');
    }
    const since = now();
    rows.forEach((row) => waiting.set(row.position, { row, since }));
  }

  /** After the duplicate window a relay that starts anew would publish the event to the services a second time. */
  function giveUp(): void {
    let dropped = 0;
    for (const [position, { since }] of waiting) {
      if (waiting.size <= mostHeld && now() - since < duplicateWindowMs) break;
      waiting.delete(position);
      dropped += 1;
    }
    metrics.dropped(dropped);
  }

  async function tryAgain(): Promise<void> {
    await ensureStream().catch(() => undefined);
    // A single one first: a stream that still refuses then refuses one.
    const rows = [...waiting.values()].slice(0, failures > 0 || retryAt === 0 ? 1 : mostAtOnce).map(({ row }) => row);
    const outcomes = await publisher.publish(rows.flatMap(livePublicationOf));
    rows.forEach(({ position }, index) => outcomes[index] === undefined && waiting.delete(position));
    const refused = outcomes.filter((outcome) => outcome !== undefined).length;
    metrics.refused(refused);
    failures = refused > 0 ? failures + 1 : 0;
    retryAt = now() + (refused > 0 ? Math.min(firstPauseMs * 2 ** failures, lastPauseMs) : 0);
    if (waiting.size === 0) {
      log.info('the stream of live events has everything again');
    }
  }

  return {
    async publish(rows) {
      const copies = rows.filter((row) => isToldLive(row) && !wasTold(row));
      if (copies.length === 0) {
        return;
      }
      if (waiting.size > 0) {
        // Behind those that wait, to keep the order.
        hold(copies, '');
        giveUp();
        return;
      }
      const outcomes = await publisher.publish(copies.flatMap(livePublicationOf));
      const refused = copies.filter((_row, index) => outcomes[index] !== undefined);
      if (refused.length > 0) {
        metrics.refused(refused.length);
        const reason = outcomes.find((outcome) => outcome !== undefined) ?? '';
        if (!isConnected()) {
          throw new Error(`JetStream did not store an event: ${reason}`);
        }
        hold(refused, reason);
      }
    },
    retry() {
      if (waiting.size > 0 && !trying && isConnected() && now() >= retryAt) {
        trying = true;
        giveUp();
        void tryAgain().finally(() => (trying = false));
      }
    },
    held: () => [...waiting.keys()],
  };
}
