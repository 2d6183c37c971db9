import type { BatchPublisher } from './batch-publisher';
import { servicePublicationOf } from '../envelope';
import type { LiveCopies } from './live-copies';
import type { OutboxRow, OutboxSession } from './outbox-session';
import type { RelayMetrics } from './metrics';
import type { Wakeup } from '../../work/wakeup';

export interface PumpOptions {
  session: OutboxSession;
  publisher: BatchPublisher;
  copies: LiveCopies;
  wakeup: Wakeup;
  pollMs: number;
  batchSize: number;
  metrics: RelayMetrics;
  signal: AbortSignal;
  onProgress: () => void;
}

const noOutcomes: Promise<(string | undefined)[]> = Promise.resolve([]);

/** Under steady load reading continues after the last row; after so many batches it restarts at the front, for rows committed late. */
const batchesBetweenSweeps = 16;

/**
 * Moves events from the outbox to JetStream until the signal aborts; throws on any failure. While one batch is being published,
 * the previous one is deleted and the next one read. Two batches are never published at the same time: the second could
 * overtake the first if that failed.
 */
export async function pump(options: PumpOptions): Promise<void> {
  const { session, publisher, copies, wakeup, pollMs, batchSize, metrics, signal, onProgress } = options;
  // Starts with a single event after every interruption: a missing stream then refuses one event, not half a batch.
  let batch = await session.exchange([], 0, 1);
  let published: number[] = [];
  let untilSweep = batchesBetweenSweeps;

  while (!signal.aborted) {
    metrics.oldest(batch[0]?.occurred_at);
    if (batch.length === 0) {
      await wakeup.sleep(pollMs);
      copies.retry();
      batch = await session.exchange(copies.takeReleased(), 0, batchSize, copies.held());
      continue;
    }
    copies.retry();
    const publishing = publishAll({ publisher, copies }, batch);
    const behind = untilSweep > 0 ? lastPosition(batch) : 0;
    const [outcomes, next] = await settleBoth(
      publishing,
      behind > 0 ? session.exchange(published, behind, batchSize) : session.exchange(published, 0, 0),
    );
    const stored = batch.filter((_row, index) => outcomes[index] === undefined);
    const held = copies.held();
    published = stored.map(({ position }) => position).filter((position) => !held.has(position));
    // A row of this batch may be released although services do not have it.
    const refused = new Set(
      batch.filter((_row, index) => outcomes[index] !== undefined).map(({ position }) => position),
    );
    published.push(...copies.takeReleased().filter((position) => !refused.has(position)));
    metrics.published(stored.map(({ type }) => type));
    if (stored.length < batch.length) {
      metrics.refused(batch.length - stored.length);
      await session.exchange(published, 0, 0);
      throw new Error(`JetStream did not store an event: ${outcomes.find((outcome) => outcome !== undefined)}`);
    }
    onProgress();
    if (next.length > 0) {
      batch = next;
      untilSweep--;
    } else {
      batch = await session.exchange(published, 0, batchSize, held);
      published = [];
      untilSweep = batchesBetweenSweeps;
    }
  }
  if (published.length > 0) {
    await session.exchange(published, 0, 0);
  }
}

/**
 * Answers for each row why services do not have it, undefined if they do. Copies for accounts are sent first, because services
 * publish what follows from an event, and the account must not be told that before.
 */
async function publishAll(
  { publisher, copies }: Pick<PumpOptions, 'publisher' | 'copies'>,
  batch: OutboxRow[],
): Promise<(string | undefined)[]> {
  const messages = batch.map(servicePublicationOf);
  const sent = messages.flat();
  const [, outcomes] = await settleBoth(copies.publish(batch), sent.length > 0 ? publisher.publish(sent) : noOutcomes);
  let next = 0;
  return messages.map(({ length }) => outcomes.slice(next, (next += length))[0]);
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
