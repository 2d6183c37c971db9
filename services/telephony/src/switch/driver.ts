import { setMaxListeners } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import type { Outbox } from '@sabia/service-kit/events/outbox';
import type { Logger } from '@sabia/service-kit/logging';
import type { Database } from '@sabia/service-kit/postgres/database';
import { isDatabaseUnavailable } from '@sabia/service-kit/postgres/errors';
import type { Billing } from '../clients/billing';
import type { LiveCall, TimePolicy } from '../domain/live-call';
import { listDue, listLive, takeUnplaced } from '../storage/live-calls';
import { createCallProgress } from './call-progress';
import { createDuties } from './duties';
import { PlacingError } from './port';
import type { CallSwitch, IncomingCall, SwitchEvent } from './port';
import { createSerialWork } from './serial-work';

export interface Driver {
  readonly running: boolean;
  start(): Promise<void>;
  /** There is something to do: a call to place, one to end. */
  poke(): void;
  stop(): Promise<void>;
}

export interface DriverOptions {
  database: Database;
  outbox: Outbox;
  callSwitch: CallSwitch;
  billing: Pick<Billing, 'extend'>;
  policy: TimePolicy;
  /** Somebody called who was not asked to. Rejects when the call cannot be taken. */
  admit: (call: IncomingCall) => Promise<void>;
  fetchRecordings: () => Promise<void>;
  log: Logger;
  now: () => Date;
  /** Without being poked. */
  pollMs: number;
}

const BATCH = 100;
const MOST_DUE = 500;
const RETRY_MS = 500;
const TRIES = 5;

/** Drives every call of one switch. Holds nothing that is not in the database too, so that another one can go on at any moment. */
export function createDriver(options: DriverOptions): Driver {
  const { database, callSwitch, log, now, pollMs } = options;
  const progress = createCallProgress(options);
  const duties = createDuties({ ...options, progress });
  const serial = createSerialWork();
  let running: Running | undefined;

  interface Running {
    stopping: AbortController;
    loop: Promise<void>;
    wake: () => void;
    /** Looked at no call before it is known which of them the switch still has. */
    reconciled: boolean;
    reconcileWanted: boolean;
    burialWanted: boolean;
    /** Calls that are being looked after. */
    seeing: Set<string>;
    fetching: Promise<void> | undefined;
  }

  /** The database being away is waited for; anything else is tried a few times and then left to whoever looks at due calls. */
  async function persist(what: object, work: () => Promise<void>, signal: AbortSignal): Promise<void> {
    for (let tries = 1; !signal.aborted;) {
      try {
        await work();
        return;
      } catch (error) {
        if (!isDatabaseUnavailable(error)) {
          log.error({ err: error, ...what, tries }, 'what happened to a call could not be written');
          if (tries >= TRIES) return;
          tries += 1;
        }
        await delay(RETRY_MS, undefined, { signal }).catch(() => undefined);
      }
    }
  }

  function happened(event: SwitchEvent): void {
    const { stopping, wake } = running ?? {};
    if (stopping === undefined) {
      return;
    }
    const { callId, kind } = event;
    void serial.run(callId, async () => {
      await persist({ callId, kind }, () => progress.apply(event), stopping.signal);
      if (kind === 'ended' || kind === 'recorded') {
        wake?.();
      }
    });
  }

  function place(call: LiveCall): void {
    const { id: callId } = call;
    if (call.requestedAt !== null) {
      happened({ kind: 'ended', callId, at: now(), cause: call.requestedCause ?? 'ORIGINATOR_CANCEL' });
      return;
    }
    void callSwitch.place(call).catch((error: unknown) => {
      log.warn({ err: error, callId }, 'a call could not be brought to the switch');
      const cause = error instanceof PlacingError ? error.hangupCause : 'NETWORK_OUT_OF_ORDER';
      happened({ kind: 'ended', callId, at: now(), cause });
    });
  }

  /** The switch is not there: its calls are over, and new ones fail at once instead of waiting for it. */
  async function bury(state: Running): Promise<void> {
    const calls = await listLive(database, callSwitch.name);
    for (const { id: callId } of calls.filter(({ placedAt }) => placedAt !== null)) {
      happened({ kind: 'ended', callId, at: now(), cause: 'NETWORK_OUT_OF_ORDER' });
    }
    state.burialWanted = false;
    state.reconciled = true;
  }

  async function work(state: Running): Promise<void> {
    if (state.burialWanted) {
      await bury(state);
    }
    if (state.reconcileWanted) {
      state.reconcileWanted = false;
      try {
        await serial.idle();
        await callSwitch.reconcile(await listLive(database, callSwitch.name));
        state.reconciled = true;
      } catch (error) {
        state.reconcileWanted = true;
        throw error;
      }
    }
    if (!state.reconciled) {
      return;
    }
    const { name: switchName } = callSwitch;
    for (let count = BATCH; count === BATCH && !state.stopping.signal.aborted;) {
      const calls = await takeUnplaced(database, { switchName, now: now(), limit: BATCH });
      calls.forEach(place);
      count = calls.length;
    }
    const due = await listDue(database, { switchName, now: now(), limit: MOST_DUE });
    due.filter(({ id }) => !state.seeing.has(id)).forEach(({ id }) => see(state, id));
    // Neither may keep calls from being placed: one waits for billing, the other for audio.
    state.fetching ??= fetchRecordings(state);
  }

  function see(state: Running, callId: string): void {
    state.seeing.add(callId);
    void serial
      .run(callId, () => duties.see(callId))
      .catch((error: unknown) => log.warn({ err: error, callId }, 'a call could not be looked after, trying again'))
      .finally(() => state.seeing.delete(callId));
  }

  async function fetchRecordings(state: Running): Promise<void> {
    try {
      await options.fetchRecordings();
    } catch (error) {
      log.warn({ err: error }, 'recordings cannot be fetched just now');
    } finally {
      state.fetching = undefined;
    }
  }

  async function run(state: Running): Promise<void> {
    let failing = false;
    while (!state.stopping.signal.aborted) {
      const pause = new AbortController();
      state.wake = () => pause.abort();
      try {
        await work(state);
        failing = false;
      } catch (error) {
        log[failing ? 'debug' : 'warn']({ err: error }, 'calls cannot be driven just now');
        failing = true;
      }
      const waiting = AbortSignal.any([pause.signal, state.stopping.signal]);
      await delay(failing ? RETRY_MS : pollMs, undefined, failing ? undefined : { signal: waiting }).catch(
        () => undefined,
      );
    }
  }

  return {
    get running() {
      return running !== undefined;
    },
    async start() {
      const state: Running = {
        stopping: new AbortController(),
        loop: Promise.resolve(),
        wake: () => undefined,
        reconciled: false,
        reconcileWanted: false,
        burialWanted: false,
        seeing: new Set(),
        fetching: undefined,
      };
      // Everybody who waits listens to it.
      setMaxListeners(0, state.stopping.signal);
      running = state;
      state.loop = run(state);
      await callSwitch.start({
        onEvent: happened,
        onIncoming(call) {
          void options.admit(call).catch((error: unknown) => {
            log.warn({ err: error, dialled: call.dialled }, 'a call that came in could not be taken');
            const cause = error instanceof PlacingError ? error.hangupCause : 'NORMAL_TEMPORARY_FAILURE';
            return callSwitch.refuse(call.channel, cause).catch(() => undefined);
          });
        },
        onConnected() {
          state.reconcileWanted = true;
          state.burialWanted = false;
          state.wake();
        },
        onAbsent() {
          state.reconcileWanted = false;
          state.burialWanted = true;
          state.wake();
        },
      });
    },
    poke() {
      running?.wake();
    },
    async stop() {
      const state = running;
      if (state === undefined) {
        return;
      }
      state.stopping.abort();
      await state.loop;
      await callSwitch.stop();
      await Promise.all([serial.idle(), state.fetching]);
      running = undefined;
    },
  };
}
