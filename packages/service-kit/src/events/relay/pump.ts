import type { BatchPublisher } from './batch-publisher';
import { toPublication } from '../envelope';
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

/** Under steady load reading goes on behind the last row; this often it begins at the front again, for rows committed late. */
const batchesBetweenSweeps = 16;

/**
 * Moves events from the outbox to JetStream until the signal aborts; throws when anything breaks. While one batch is on its
 * way to JetStream, the one before is deleted and the next one read. Two batches are never on their way together: a batch
 * that got lost could then be overtaken.
 */
export async function pump(options: PumpOptions): Promise<void> {
  const { session, publisher, wakeup, pollMs, batchSize, metrics, signal, onProgress } = options;
  // A single event goes ahead after every interruption: a stream that is not there yet then refuses one event, not half a batch.
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
    const publishing = publisher.publish(batch.map(toPublication));
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

/** Both are let finish, so that nothing of a broken round runs on into the next one. */
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
