import { setTimeout as delay } from 'node:timers/promises';
import type { OutgoingEvent, Outbox } from '@sabia/service-kit/events/outbox';
import type { Logger } from '@sabia/service-kit/logging';
import type { Database, Transaction } from '@sabia/service-kit/postgres/database';
import { isDatabaseUnavailable } from '@sabia/service-kit/postgres/errors';
import { retry } from '@sabia/service-kit/work/retry';
import { hasFailedForTooLong, updateCircuit } from '../domain/circuit';
import type { Tally } from '../domain/circuit';
import type { Attempt, Outcome } from '../domain/outcome';
import { writeReason } from '../domain/reason';
import type { ToldDelivery } from '../domain/told-delivery';
import { deliveriesRecorded, integrationDisabled } from '../events/published';
import { disableIntegration } from '../storage/disable';
import { lockCircuits, writeCircuits, writeResults } from '../storage/results';
import type { Result, StoredCircuit } from '../storage/results';
import type { Held } from './lane';
import { addToTally } from './tally';

type Recordable = Pick<Held, 'id' | 'integrationId' | 'callId' | 'eventType' | 'test' | 'troubled' | 'claimed'>;

export type RecordedResult = Result & Omit<Recordable, 'id'> & { accountId: number };

export interface Recorder {
  /** Writes the outcome of a delivery, together with those of the next milliseconds; without an attempt when nothing was sent. */
  record(delivery: Recordable, accountId: number, outcome: Outcome, attempt?: Attempt): void;
  /** Resolves when all results are committed or given up. */
  idle(): Promise<void>;
  /** From now on results are dropped instead of waiting for a database that is away. */
  giveUp(): void;
}

export interface RecorderOptions {
  database: Database;
  outbox: Outbox;
  log: Logger;
  now: () => Date;
  /** The lease tokens of this process. */
  owners: string[];
  /** Called with results that are committed or given up. */
  onWritten: (results: RecordedResult[]) => void;
  /** Called with receivers whose circuit has changed and with those that were disabled. */
  onCircuits: (circuits: StoredCircuit[], disabled: number[]) => void;
}

interface Changes {
  circuits: StoredCircuit[];
  disabled: number[];
}

const gatherMs = 20;
const largestBatch = 500;
const outageWaitMs = 500;

/**
 * Writes the results of 20 ms in one transaction. Not a Batcher of service-kit: results wait for each other on purpose, and an outage
 * of the database is waited for.
 */
export function createRecorder(options: RecorderOptions): Recorder {
  const { database, outbox, log, now, owners, onWritten, onCircuits } = options;
  let waiting: RecordedResult[] = [];
  let running: Promise<void> | undefined;
  const givingUp = new AbortController();

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
    const { signal } = givingUp;
    const events = deliveriesRecorded(results.map(toTold(now())), now());
    try {
      await retry(() => writeOnce(results, events), { mayPass: isOutage, pauseMs: () => outageWaitMs, signal });
    } catch (error) {
      if (results.length > 1 && !signal.aborted) {
        for (const result of results) {
          await write([result]);
        }
        return;
      }
      // When the lease ends, the delivery is sent again under the same webhook-id.
      log.error({ err: error, deliveries: results.map(({ deliveryId }) => deliveryId) }, 'results were not written');
    }
  }

  function isOutage(error: unknown): boolean {
    if (!isDatabaseUnavailable(error)) {
      return false;
    }
    log.warn({ err: error }, 'results of deliveries could not be written, trying again');
    return true;
  }

  async function writeOnce(results: RecordedResult[], events: OutgoingEvent[]): Promise<void> {
    const at = now();
    const { circuits, disabled } = await database.transaction(async (tx) => {
      await outbox.write(tx, events);
      if (results.every(isUneventful)) {
        await writeResults(tx, results, owners, at);
        return { circuits: [], disabled: [] };
      }
      return writeWithCircuits(tx, results, at);
    });
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
        disable.set(integrationId, writeReason('RECEIVER_GONE'));
      }
    }
    const circuits = await updateCircuits(tx, tallies, at);
    for (const circuit of circuits.filter((circuit) => hasFailedForTooLong(circuit, at) && !disable.has(circuit.id))) {
      disable.set(circuit.id, writeReason('FAILED_FOR_DAYS'));
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
    record(delivery, accountId, outcome, attempt) {
      waiting.push({
        deliveryId: delivery.id,
        accountId,
        integrationId: delivery.integrationId,
        callId: delivery.callId,
        eventType: delivery.eventType,
        test: delivery.test,
        troubled: delivery.troubled,
        claimed: delivery.claimed,
        outcome,
        attempt,
      });
      running ??= run();
    },
    async idle() {
      await running;
    },
    giveUp() {
      givingUp.abort();
    },
  };
}

const toTold =
  (at: Date) =>
  (result: RecordedResult): ToldDelivery => {
    const { outcome, attempt } = result;
    return {
      deliveryId: result.deliveryId,
      accountId: result.accountId,
      integrationId: result.integrationId,
      callId: result.callId,
      eventType: result.eventType,
      test: result.test,
      status: outcome.status,
      reason: outcome.reason,
      responseStatus: attempt?.status,
      latencyMs: attempt === undefined ? undefined : Math.round(attempt.latencyMs),
      nextAttemptAt: outcome.dueAt,
      at: attempt?.at ?? at,
    };
  };

/** Neither the circuit nor the integration changes. */
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
