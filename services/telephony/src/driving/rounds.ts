import type { Logger } from '@sabia/service-kit/logging';
import type { Database } from '@sabia/service-kit/postgres/database';
import type { LiveCall } from '../domain/live-call';
import { noteSighting } from '../storage/switch-sightings';
import { listDue, listLive, returnUnplaced, takeUnplaced } from '../storage/live-calls';
import type { Duties } from './duties';
import type { EventWriter } from './event-writer';
import { PlacingError } from '../switch/port';
import type { CallSwitch } from '../switch/port';
import type { SerialWork } from './serial-work';

export interface Rounds {
  work(): Promise<void>;
  onConnected(): void;
  onLost(): void;
  /** Resolves when nothing is left that a round has begun. */
  idle(): Promise<void>;
}

export interface RoundsOptions {
  database: Database;
  callSwitch: CallSwitch;
  duties: Duties;
  writer: EventWriter;
  serial: SerialWork;
  /** Nobody else can be driving at this moment. */
  isEntitled: () => boolean;
  fetchRecordings: () => Promise<void>;
  log: Logger;
  now: () => Date;
}

const BATCH = 100;
const MOST_DUE = 500;
/** A call that the switch loses without a word may be charged for this much too little. */
const SIGHTING_MS = 2_000;

/** What there is to do for the calls of a switch, each time somebody looks. */
export function createRounds(options: RoundsOptions): Rounds {
  const { database, callSwitch, duties, writer, serial, isEntitled, log, now } = options;
  const switchName = callSwitch.name;
  /** Calls that are being looked after. */
  const seeing = new Set<string>();
  let fetching: Promise<void> | undefined;
  let sighting: Promise<void> | undefined;
  let nextSightingAt = 0;
  /** No call is looked at before it is known which of them the switch still has. */
  let sight: { of: 'nothing' | 'connection' | 'calls' } = { of: 'nothing' };

  /** What was found out holds unless something has happened to the connection meanwhile. */
  async function reconcile(): Promise<void> {
    const before = sight;
    await serial.idle();
    await callSwitch.reconcile(await listLive(database, switchName));
    if (sight === before) {
      sight = { of: 'calls' };
    }
  }

  async function placeAll(): Promise<void> {
    for (let count = BATCH; count === BATCH && sight.of === 'calls' && isEntitled();) {
      const calls = await takeUnplaced(database, { switchName, now: now(), limit: BATCH });
      if (sight.of !== 'calls' || !isEntitled()) {
        // Meanwhile the connection was lost, or it took so long that somebody else may drive by now.
        const ids = calls.map(({ id }) => id);
        await returnUnplaced(database, ids);
        return;
      }
      calls.forEach(place);
      count = calls.length;
    }
  }

  function place(call: LiveCall): void {
    const { id: callId } = call;
    if (call.requestedAt !== null) {
      writer.write({ kind: 'ended', callId, at: now(), cause: call.requestedCause ?? 'ORIGINATOR_CANCEL' });
      return;
    }
    callSwitch.place(call).catch((error: unknown) => {
      log.warn({ err: error, callId }, 'a call could not be brought to the switch');
      const cause = error instanceof PlacingError ? error.hangupCause : 'NETWORK_OUT_OF_ORDER';
      writer.write({ kind: 'ended', callId, at: now(), cause });
    });
  }

  function see(callId: string): void {
    seeing.add(callId);
    serial
      .run(callId, () => duties.see(callId))
      .catch((error: unknown) => log.warn({ err: error, callId }, 'a call could not be looked after, trying again'))
      .finally(() => seeing.delete(callId));
  }

  /** As long as it is known which calls there are, a sign of life of the switch is one of all of them. */
  async function sightSwitch(): Promise<void> {
    const before = sight;
    nextSightingAt = now().getTime() + SIGHTING_MS;
    try {
      const seenAt = await callSwitch.pulse();
      if (sight === before) await noteSighting(database, switchName, seenAt);
    } catch (error) {
      log.debug({ err: error }, 'the switch gives no sign of life');
    } finally {
      sighting = undefined;
    }
  }

  async function fetchRecordings(): Promise<void> {
    try {
      await options.fetchRecordings();
    } catch (error) {
      log.warn({ err: error }, 'recordings cannot be fetched just now');
    } finally {
      fetching = undefined;
    }
  }

  return {
    async work() {
      if (sight.of === 'connection') {
        await reconcile();
      }
      if (sight.of !== 'calls' || !isEntitled()) {
        return;
      }
      await placeAll();
      const due = await listDue(database, { switchName, now: now(), limit: MOST_DUE });
      due.filter((callId) => !seeing.has(callId)).forEach(see);
      // Neither may keep calls from being placed: one waits for billing, the other for audio.
      fetching ??= fetchRecordings();
      if (now().getTime() >= nextSightingAt) sighting ??= sightSwitch();
    },
    onConnected: () => void (sight = { of: 'connection' }),
    onLost: () => void (sight = { of: 'nothing' }),
    async idle() {
      await Promise.all([serial.idle(), fetching, sighting]);
    },
  };
}
