import type { BatchPublisher } from './batch-publisher';
import type { LiveCopies } from './live-copies';
import type { OutboxRow, OutboxSession } from './outbox-session';
import type { RelayMetrics } from './metrics';
import { packsOf } from './packs';
import type { EventFormat } from './packs';
import type { Progress } from './progress';
import type { Upkeep } from './upkeep';
import type { Wakeup } from '../../work/wakeup';

export interface PumpOptions {
  session: Pick<OutboxSession, 'read' | 'look'>;
  publisher: BatchPublisher;
  format: EventFormat;
  copies: LiveCopies;
  progress: Progress;
  upkeep: Pick<Upkeep, 'whenDue'>;
  wakeup: Wakeup;
  pollMs: number;
  batchSize: number;
  metrics: RelayMetrics;
  signal: AbortSignal;
  onProgress: () => void;
}

const noOutcomes: Promise<(string | undefined)[]> = Promise.resolve([]);
const noRows: Promise<OutboxRow[]> = Promise.resolve([]);

/** Under steady load reading continues after the last row; after so many batches it looks for rows committed late. */
const batchesBetweenLooks = 16;

/**
 * Moves events from the outbox to JetStream until the signal aborts; throws on any failure. While one batch is being published, the
 * next one is read. Two batches are never published at the same time: the second could overtake the first if that failed.
 */
export async function pump(options: PumpOptions): Promise<void> {
  const { session, progress, copies, upkeep, wakeup, pollMs, batchSize, metrics, signal, onProgress } = options;
  // Starts with a single event after every interruption: a missing stream then refuses one event, not half a batch.
  let limit = 1;
  let batch = await lateOrNext(session, progress, limit);
  let untilLook = batchesBetweenLooks;

  while (!signal.aborted) {
    metrics.oldest(batch[0]?.occurred_at);
    if (batch.length === 0) {
      await upkeep.whenDue();
      await wakeup.sleep(pollMs);
      copies.retry();
      batch = await lateOrNext(session, progress, batchSize);
      untilLook = batchesBetweenLooks;
      continue;
    }
    copies.retry();
    const publishing = publishAll(options, batch);
    const last = lastPosition(batch);
    // Who writes an event pokes; without that a batch that is not full was all there is.
    const mayHaveMore = batch.length >= limit || wakeup.isPoked();
    limit = batchSize;
    // After late events more of them may follow: those go first.
    const readsOn = mayHaveMore && untilLook > 0 && last > progress.position;
    const [outcomes, next] = await settleBoth(publishing, readsOn ? session.read(last, batchSize) : noRows);
    progress.published(batch);
    const refused = batch.filter((_row, index) => outcomes[index] !== undefined);
    metrics.published(batch.filter((row) => !refused.includes(row)).map(({ type }) => type));
    if (refused.length > 0) {
      metrics.refused(refused.length);
      refused.forEach((row) => progress.refused(row));
      throw new Error(`JetStream did not store an event: ${outcomes.find((outcome) => outcome !== undefined)}`);
    }
    onProgress();
    await upkeep.whenDue();
    if (next.length > 0) {
      batch = next;
      untilLook--;
    } else if (mayHaveMore || progress.open.length > 0) {
      batch = await lateOrNext(session, progress, batchSize);
      untilLook = batchesBetweenLooks;
    } else {
      batch = [];
    }
  }
}

/** Events that were committed late or refused come first. */
async function lateOrNext(session: PumpOptions['session'], progress: Progress, limit: number): Promise<OutboxRow[]> {
  if (progress.open.length > 0) {
    const { rows, transactions } = await session.look(progress.open, limit);
    if (rows.length > 0) {
      return rows;
    }
    progress.foundNothing(transactions);
  }
  return session.read(progress.position, limit);
}

/**
 * Answers for each row why services do not have it, undefined if they do. Copies for accounts are sent first, because services
 * publish what follows from an event, and the account must not be told that before.
 */
async function publishAll(
  { publisher, copies, format }: Pick<PumpOptions, 'publisher' | 'copies' | 'format'>,
  batch: OutboxRow[],
): Promise<(string | undefined)[]> {
  const packs = packsOf(batch, format);
  const sent = packs.map(({ publication }) => publication);
  const [, outcomes] = await settleBoth(copies.publish(batch), sent.length > 0 ? publisher.publish(sent) : noOutcomes);
  const outcomeOf = new Map(packs.flatMap(({ rows }, nth) => rows.map((row) => [row, outcomes[nth]])));
  return batch.map((row) => outcomeOf.get(row));
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
