import type { BatchPublisher } from './batch-publisher';
import { publicationsOf } from '../envelope';
import type { OutboxRow, OutboxSession } from './outbox-session';
import type { RelayMetrics } from './metrics';
import type { Wakeup } from '../../work/wakeup';

export interface PumpOptions {
  session: OutboxSession;
  publisher: BatchPublisher;
  wakeup: Wakeup;
  pollMs: number;
  batchSize: number;
  metrics: RelayMetrics;
  signal: AbortSignal;
  onProgress: () => void;
}

/** Under steady load reading continues after the last row; after so many batches it restarts at the front, for rows committed late. */
const batchesBetweenSweeps = 16;

/**
 * Moves events from the outbox to JetStream until the signal aborts; throws on any failure. While one batch is being published,
 * the previous one is deleted and the next one read. Two batches are never published at the same time: the second could
 * overtake the first if that failed.
 */
export async function pump(options: PumpOptions): Promise<void> {
  const { session, publisher, wakeup, pollMs, batchSize, metrics, signal, onProgress } = options;
  // Starts with a single event after every interruption: a missing stream then refuses one event, not half a batch.
  let batch = await session.exchange([], 0, 1);
  let published: number[] = [];
  let untilSweep = batchesBetweenSweeps;

  while (!signal.aborted) {
    metrics.oldest(batch[0]?.occurred_at);
    if (batch.length === 0) {
      await wakeup.sleep(pollMs);
      batch = await session.exchange([], 0, batchSize);
      continue;
    }
    const publishing = publishAll(publisher, batch);
    const behind = untilSweep > 0 ? lastPosition(batch) : 0;
    const [outcomes, next] = await settleBoth(
      publishing,
      behind > 0 ? session.exchange(published, behind, batchSize) : session.exchange(published, 0, 0),
    );
    const stored = batch.filter((_row, index) => outcomes[index] === undefined);
    published = stored.map(({ position }) => position);
    metrics.published(stored.map(({ type }) => type));
    if (published.length < batch.length) {
      metrics.refused(batch.length - published.length);
      await session.exchange(published, 0, 0);
      throw new Error(`JetStream did not store an event: ${outcomes.find((outcome) => outcome !== undefined)}`);
    }
    onProgress();
    if (next.length > 0) {
      batch = next;
      untilSweep--;
    } else {
      batch = await session.exchange(published, 0, batchSize);
      published = [];
      untilSweep = batchesBetweenSweeps;
    }
  }
  if (published.length > 0) {
    await session.exchange(published, 0, 0);
  }
}

/** Answers for each row why one of its messages was not stored, undefined if all of them were. */
async function publishAll(publisher: BatchPublisher, batch: OutboxRow[]): Promise<(string | undefined)[]> {
  const messages = batch.map(publicationsOf);
  const outcomes = await publisher.publish(messages.flat());
  let next = 0;
  return messages.map(({ length }) => outcomes.slice(next, (next += length)).find((outcome) => outcome !== undefined));
}

/** Waits for both, so that nothing of a failed round is still running in the next one. */
async function settleBoth<A, B>(a: Promise<A>, b: Promise<B>): Promise<[A, B]> {
  const [first, second] = await Promise.allSettled([a, b]);
  if (first.status === 'rejected') {
    throw first.reason as Error;
  }
  if (second.status === 'rejected') {
    throw second.reason as Error;
  }
  return [first.value, second.value];
}

function lastPosition(batch: OutboxRow[]): number {
  return batch.at(-1)?.position ?? 0;
}
