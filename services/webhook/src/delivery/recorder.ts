import { setTimeout as delay } from 'node:timers/promises';
import type { Outbox } from '@sabia/service-kit/events/outbox';
import type { Logger } from '@sabia/service-kit/logging';
import type { Database, Transaction } from '@sabia/service-kit/postgres/database';
import { isDatabaseUnavailable } from '@sabia/service-kit/postgres/errors';
import { hasFailedForTooLong, updateCircuit } from '../domain/circuit';
import type { Tally } from '../domain/circuit';
import { integrationDisabled } from '../events/published';
import { disableIntegration, lockCircuits, writeCircuits, writeResults } from '../storage/results';
import type { Result } from '../storage/results';
import { addToTally } from './tally';

export interface RecordedResult extends Result {
  test: boolean;
  /** The receiver was in trouble when the delivery was taken, so that a success is news. */
  troubled: boolean;
}

export interface Recorder {
  /** Resolves when the result is committed, or can no longer be. */
  record(result: RecordedResult): Promise<void>;
  /** No more waiting for a database that is away. */
  giveUp(): void;
}

export interface RecorderOptions {
  database: Database;
  outbox: Outbox;
  log: Logger;
  now: () => Date;
}

const gatherMs = 10;
const largestBatch = 500;
const outageWaitMs = 500;

/** Results that come within a moment are one transaction. */
export function createRecorder({ database, outbox, log, now }: RecorderOptions): Recorder {
  const waiting: { result: RecordedResult; done: () => void }[] = [];
  let writing = false;
  let givenUp = false;

  async function run(): Promise<void> {
    while (waiting.length > 0) {
      if (waiting.length < largestBatch) {
        await delay(gatherMs);
      }
      const batch = waiting.splice(0, largestBatch);
      await write(batch.map(({ result }) => result));
      batch.forEach(({ done }) => done());
    }
    writing = false;
  }

  async function write(results: RecordedResult[]): Promise<void> {
    for (;;) {
      try {
        await database.transaction((tx) => writeBatch(tx, results));
        return;
      } catch (error) {
        if (isDatabaseUnavailable(error) && !givenUp) {
          log.warn({ err: error, count: results.length }, 'results of deliveries could not be written, trying again');
          await delay(outageWaitMs);
          continue;
        }
        if (results.length > 1 && !givenUp) {
          for (const result of results) {
            await write([result]);
          }
          return;
        }
        // Its lease ends, and it is sent again under the same webhook-id.
        log.error({ err: error, deliveries: results.map(({ deliveryId }) => deliveryId) }, 'results were not written');
        return;
      }
    }
  }

  async function writeBatch(tx: Transaction, results: RecordedResult[]): Promise<void> {
    const at = now();
    await writeResults(tx, results, at);
    const disable = new Map<number, string>();
    const tallies = new Map<number, Tally>();
    for (const { integrationId, attempt, outcome, test, troubled } of results) {
      if (attempt === undefined || test) {
        continue;
      }
      if (outcome.status !== 'delivered' || troubled) {
        tallies.set(integrationId, addToTally(tallies.get(integrationId), attempt));
      }
      if (outcome.gone) {
        disable.set(integrationId, 'The receiver answered 410 Gone.');
      }
    }
    if (tallies.size > 0) {
      const before = await lockCircuits(tx, [...tallies.keys()]);
      const after = before.map((circuit) => ({
        id: circuit.id,
        ...updateCircuit(circuit, tallies.get(circuit.id)!, at),
      }));
      await writeCircuits(tx, after);
      for (const circuit of after.filter((circuit) => hasFailedForTooLong(circuit, at) && !disable.has(circuit.id))) {
        disable.set(circuit.id, 'Five days of nothing but failures.');
      }
    }
    for (const [id, reason] of disable) {
      const disabled = await disableIntegration(tx, id, reason, at);
      if (disabled !== undefined) {
        log.warn({ integration: id, reason }, 'a webhook was disabled');
        await outbox.write(tx, [integrationDisabled(disabled)]);
      }
    }
  }

  return {
    record(result) {
      return new Promise((done) => {
        waiting.push({ result, done });
        if (!writing) {
          writing = true;
          void run();
        }
      });
    },
    giveUp() {
      givenUp = true;
    },
  };
}
