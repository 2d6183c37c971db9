import type { Logger } from '@sabia/service-kit/logging';
import type { SerialWork } from '@sabia/service-kit/work/serial-work';
import type { Database } from '@sabia/service-kit/postgres/database';
import type { LiveCall } from '../domain/live-call';
import type { Takers } from '../placing/taking';
import type { LeaseTerm } from '../storage/lease-fence';
import { listDue, listLive, takeUnplaced } from '../storage/live-calls';
import type { Duties } from './duties';
import type { EventWriter } from './event-writer';
import type { LeftCalls } from './left-calls';
import { createOwnCalls } from './own-calls';
import type { RegistryWriter } from './registry-writer';
import { PlacingError, SwitchAwayError } from '../switch/port';
import type { CallSwitch } from '../switch/port';

export interface Rounds {
  work(): Promise<void>;
  /** Notes that the switch is there, once a second at most. */
  sight(): void;
  onConnected(): void;
  onLost(): void;
  /** Resolves when all work that a round has begun is done. */
  idle(): Promise<void>;
}

export interface RoundsOptions {
  database: Database;
  callSwitch: CallSwitch;
  duties: Duties;
  writer: EventWriter;
  serial: SerialWork<string>;
  /** No other replica can be driving at this moment. */
  isEntitled: () => boolean;
  term: LeaseTerm;
  ringSeconds: number;
  takers: Takers;
  left: LeftCalls;
  registry: Pick<RegistryWriter, 'sight'>;
  fetchRecordings: () => Promise<void>;
  log: Logger;
  now: () => Date;
}

const BATCH = 100;
const MOST_DUE = 500;
/** The end of a call that the switch loses without notice may be this much too early. */
export const SIGHTING_MS = 1_000;

/** One round of driving: places queued calls, looks after due ones, fetches recordings. */
export function createRounds(options: RoundsOptions): Rounds {
  const { database, callSwitch, duties, writer, serial, isEntitled, term, ringSeconds, registry, left, log, now } =
    options;
  const switchName = callSwitch.name;
  /** Calls that are being looked after. */
  const seeing = new Set<string>();
  let fetching: Promise<void> | undefined;
  let sighting: Promise<void> | undefined;
  let nextSightingAt = 0;
  /** What this replica knows of the switch. No call is looked after before it is known which calls the switch still has. */
  let sight: { of: 'nothing' | 'connection' | 'calls' } = { of: 'nothing' };

  const isDriving = (): boolean => sight.of === 'calls' && isEntitled();
  const own = createOwnCalls({ left, term, isDriving, place, now });
  options.takers.set(switchName, own.take);

  /** The result holds unless the connection has changed in the meantime. */
  async function reconcile(): Promise<void> {
    const before = sight;
    // What is being written for the switch, and not on it yet, must not be taken for lost.
    await Promise.all([serial.idle(), own.idle()]);
    await left.giveBack(term);
    const calls = await listLive(database, switchName);
    left.forget(calls);
    await callSwitch.reconcile(calls);
    if (sight === before) {
      sight = { of: 'calls' };
    }
  }

  async function placeAll(): Promise<void> {
    for (let count = BATCH; count === BATCH && isDriving();) {
      await left.giveBack(term);
      const calls = await takeUnplaced(database, { by: term, now: now(), limit: BATCH, ringSeconds });
      if (!isDriving()) {
        // The connection was lost in the meantime, or it took so long that another replica may be driving.
        await own.leave(calls);
        return;
      }
      calls.forEach(place);
      count = calls.length;
    }
  }

  function place(call: LiveCall): void {
    const { id: callId } = call;
    if (call.requestedAt !== null) {
      const cause = call.requestedCause ?? 'ORIGINATOR_CANCEL';
      if (call.aChannel === null) writer.write({ kind: 'ended', callId, at: now(), cause });
      else callSwitch.hangUp(call, cause).catch(() => writer.write({ kind: 'ended', callId, at: now(), cause }));
      return;
    }
    callSwitch.place(call).catch((error: unknown) => {
      if (error instanceof SwitchAwayError) return void giveBack(call);
      log.warn({ err: error, callId }, 'a call could not be placed on the switch');
      const cause = error instanceof PlacingError ? error.hangupCause : 'NETWORK_OUT_OF_ORDER';
      writer.write({ kind: 'ended', callId, at: now(), cause });
    });
  }

  /** The switch was lost a moment ago: it places the call when it is back, or another one does. */
  async function giveBack(call: LiveCall): Promise<void> {
    await own
      .leave([call])
      .catch((error: unknown) => log.warn({ err: error, callId: call.id }, 'a call that was not placed waits longer'));
  }

  function see(callId: string): void {
    seeing.add(callId);
    serial
      .run(callId, () => duties.see(callId))
      .catch((error: unknown) => log.warn({ err: error, callId }, 'a call could not be looked after, trying again'))
      .finally(() => seeing.delete(callId));
  }

  /** While the calls on the switch are known, a response of the switch shows that all of them are there. */
  async function sightSwitch(): Promise<void> {
    const before = sight;
    nextSightingAt = now().getTime() + SIGHTING_MS;
    await registry.sight(() => sight === before);
    sighting = undefined;
  }

  function sightIfDue(): void {
    if (isDriving() && now().getTime() >= nextSightingAt) sighting ??= sightSwitch();
  }

  async function fetchRecordings(): Promise<void> {
    try {
      await options.fetchRecordings();
    } catch (error) {
      log.warn({ err: error }, 'recordings cannot be fetched at the moment');
    } finally {
      fetching = undefined;
    }
  }

  return {
    async work() {
      if (sight.of === 'connection') {
        await reconcile();
      }
      if (!isDriving()) {
        return;
      }
      await placeAll();
      const due = await listDue(database, { switchName, now: now(), limit: MOST_DUE });
      due.filter((callId) => !seeing.has(callId)).forEach(see);
      // Not awaited: neither may keep calls from being placed.
      fetching ??= fetchRecordings();
      sightIfDue();
    },
    sight: sightIfDue,
    onConnected: () => void (sight = { of: 'connection' }),
    onLost: () => void (sight = { of: 'nothing' }),
    async idle() {
      options.takers.delete(switchName);
      await Promise.all([serial.idle(), own.idle(), fetching, sighting]);
      await left
        .giveBack(term)
        .catch((error: unknown) => log.warn({ err: error }, 'calls that were not placed wait a moment longer'));
    },
  };
}
