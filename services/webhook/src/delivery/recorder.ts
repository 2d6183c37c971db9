import { setTimeout as delay } from 'node:timers/promises';
import type { Outbox } from '@sabia/service-kit/events/outbox';
import type { Logger } from '@sabia/service-kit/logging';
import type { Database, Transaction } from '@sabia/service-kit/postgres/database';
import { isDatabaseUnavailable } from '@sabia/service-kit/postgres/errors';
import { hasFailedForTooLong, updateCircuit } from '../domain/circuit';
import type { Tally } from '../domain/circuit';
import { integrationDisabled } from '../events/published';
import { disableIntegration } from '../storage/disable';
import { lockCircuits, writeCircuits, writeResults } from '../storage/results';
import type { Result, StoredCircuit } from '../storage/results';
import { addToTally } from './tally';

export interface RecordedResult extends Result {
  test: boolean;
  /** The receiver was in trouble when the delivery was taken, so that a success is news. */
  troubled: boolean;
  /** It was taken out of the table; there may be more. */
  claimed: boolean;
}

export interface Recorder {
  /** Written with whatever else comes within a moment. */
  record(result: RecordedResult): void;
  /** Resolves when all is committed, or can no longer be. */
  idle(): Promise<void>;
  /** No more waiting for a database that is away. */
  giveUp(): void;
}

export interface RecorderOptions {
  database: Database;
  outbox: Outbox;
  log: Logger;
  now: () => Date;
  /** Whose leases the results are of. */
  owners: string[];
  /** Committed, or never to be. */
  onWritten: (results: RecordedResult[]) => void;
  /** Receivers whose standing has changed. */
  onCircuits: (circuits: StoredCircuit[], disabled: number[]) => void;
}

interface Changes {
  circuits: StoredCircuit[];
  disabled: number[];
}

const gatherMs = 20;
const largestBatch = 500;
const outageWaitMs = 500;

/** Results that come within a moment are one transaction. */
export function createRecorder(options: RecorderOptions): Recorder {
  const { database, outbox, log, now, owners, onWritten, onCircuits } = options;
  let waiting: RecordedResult[] = [];
  let running: Promise<void> | undefined;
  let givenUp = false;

  async function run(): Promise<void> {
    while (waiting.length > 0) {
      if (waiting.length < largestBatch) {
        await delay(gatherMs);
      }
      const batch = waiting.slice(0, largestBatch);
      waiting = waiting.slice(largestBatch);
      await write(batch);
      onWritten(batch);
    }
    running = undefined;
  }

  async function write(results: RecordedResult[]): Promise<void> {
    for (;;) {
      try {
        await writeOnce(results);
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

  async function writeOnce(results: RecordedResult[]): Promise<void> {
    const at = now();
    if (results.every(isUneventful)) {
      await writeResults(database, results, owners, at);
      return;
    }
    const { circuits, disabled } = await database.transaction((tx) => writeWithCircuits(tx, results, at));
    if (circuits.length > 0 || disabled.length > 0) {
      onCircuits(circuits, disabled);
    }
  }

  async function writeWithCircuits(tx: Transaction, results: RecordedResult[], at: Date): Promise<Changes> {
    await writeResults(tx, results, owners, at);
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
    const circuits = await updateCircuits(tx, tallies, at);
    for (const circuit of circuits.filter((circuit) => hasFailedForTooLong(circuit, at) && !disable.has(circuit.id))) {
      disable.set(circuit.id, 'Five days of nothing but failures.');
    }
    for (const [id, reason] of disable) {
      const disabled = await disableIntegration(tx, id, reason, at);
      if (disabled !== undefined) {
        log.warn({ integration: id, reason }, 'a webhook was disabled');
        await outbox.write(tx, [integrationDisabled(disabled)]);
      }
    }
    return { circuits, disabled: [...disable.keys()] };
  }

  return {
    record(result) {
      waiting.push(result);
      running ??= run();
    },
    async idle() {
      await running;
    },
    giveUp() {
      givenUp = true;
    },
  };
}

/** Nothing but the delivery itself has to be told of it. */
const isUneventful = ({ outcome, troubled, test }: RecordedResult): boolean =>
  test || (outcome.status === 'delivered' && !troubled);

async function updateCircuits(tx: Transaction, tallies: Map<number, Tally>, at: Date): Promise<StoredCircuit[]> {
  if (tallies.size === 0) {
    return [];
  }
  const before = await lockCircuits(tx, [...tallies.keys()]);
  const after = before.map((circuit) => ({ id: circuit.id, ...updateCircuit(circuit, tallies.get(circuit.id)!, at) }));
  await writeCircuits(tx, after);
  return after;
}
