import type { Logger } from '@sabia/service-kit/logging';
import type { Database } from '@sabia/service-kit/postgres/database';
import { createPeriodicWork } from '@sabia/service-kit/work/periodic-work';
import type { PeriodicWork } from '@sabia/service-kit/work/periodic-work';
import { createSerialWork } from '@sabia/service-kit/work/serial-work';
import type { CallProgress } from './call-progress';
import type { Duties } from './duties';
import { createEventWriter } from './event-writer';
import type { LeftCalls } from './left-calls';
import type { Takers } from '../placing/taking';
import { PlacingError } from '../switch/port';
import type { CallSwitch, IncomingCall } from '../switch/port';
import { createRounds, SIGHTING_MS } from './rounds';
import type { LeaseTerm } from '../storage/lease-fence';
import type { RegistryWriter } from './registry-writer';

export interface Driver {
  readonly running: boolean;
  /** The switch can be reached. */
  readonly connected: boolean;
  start(): Promise<void>;
  /** There is a call to place or to end. */
  poke(): void;
  stop(): Promise<void>;
}

export interface DriverOptions {
  database: Database;
  callSwitch: CallSwitch;
  progress: CallProgress;
  /** New ones for each term: what they remember of calls is out of date when another replica has driven in between. */
  createDuties: (progress: CallProgress) => Duties;
  registry: RegistryWriter;
  /** Takes a call that began on the switch. Rejects when the call is refused. */
  admit: (call: IncomingCall) => Promise<void>;
  /** The caller of a call that waits has hung up. */
  onCallerGone: (channel: string) => void;
  fetchRecordings: () => Promise<void>;
  /** No other replica can be driving at this moment. */
  isEntitled: () => boolean;
  term: () => LeaseTerm;
  ringSeconds: number;
  takers: Takers;
  left: LeftCalls;
  /** This replica cannot reach the switch; another one may. */
  onAbsent: () => void;
  log: Logger;
  now: () => Date;
  /** Pause between two rounds, unless the driver is poked. */
  pollMs: number;
}

interface Run {
  loop: PeriodicWork;
  end(): Promise<void>;
}

const RETRY_MS = 500;
/** Of a lease of five seconds, three are left at least. */
const LEAVING_MS = 1_500;

/** Drives every call of one switch. All its state is in the database as well, so that another replica can go on at any moment. */
export function createDriver(options: DriverOptions): Driver {
  const { database, callSwitch, progress, log, now, pollMs } = options;
  let run: Run | undefined;
  let connected = false;

  async function admit(call: IncomingCall): Promise<void> {
    try {
      await options.admit(call);
    } catch (error) {
      log.warn({ err: error, dialled: call.dialled }, 'an incoming call was refused');
      const cause = error instanceof PlacingError ? error.hangupCause : 'NORMAL_TEMPORARY_FAILURE';
      await callSwitch.refuse(call.channel, cause).catch(() => undefined);
    }
  }

  async function begin(): Promise<void> {
    const serial = createSerialWork<string>();
    let isLeaving = false;
    const term = options.term();
    const own: CallProgress = { apply: (event) => progress.apply(event, term) };
    const writer = createEventWriter({
      progress: own,
      serial,
      log,
      retryMs: RETRY_MS,
      onWritten: ({ kind }) => ['ended', 'gone', 'recorded'].includes(kind) && loop.wake(),
    });
    const rounds = createRounds({
      database,
      callSwitch,
      duties: options.createDuties(own),
      writer,
      serial,
      isEntitled: () => !isLeaving && options.isEntitled(),
      term,
      ringSeconds: options.ringSeconds,
      takers: options.takers,
      left: options.left,
      registry: options.registry,
      fetchRecordings: options.fetchRecordings,
      log,
      now,
    });
    const loop = createPeriodicWork({
      name: 'calls of the switch',
      everyMs: pollMs,
      retryMs: RETRY_MS,
      work: () => rounds.work(),
      log,
    });
    loop.start();
    // Not by the loop: a switch that is not seen for seconds gets no calls, however seldom the loop polls and however long a round takes.
    const sightings = setInterval(() => rounds.sight(), SIGHTING_MS);
    run = {
      loop,
      async end() {
        // What is begun is brought to an end; nothing more is begun.
        isLeaving = true;
        clearInterval(sightings);
        await loop.stop();
        // Asterisk ends a leg that was made and not dialled yet when nobody listens to it any more, and with it the call.
        if (options.isEntitled()) await callSwitch.settle(LEAVING_MS);
        // What the switch reports while it is being left says nothing about a call.
        writer.close();
        await callSwitch.stop();
        await rounds.idle();
      },
    };
    await callSwitch.start({
      isEntitled: options.isEntitled,
      term,
      onEvent: (event) => writer.write(event),
      onIncoming: (call) => void admit(call),
      onCallerGone: options.onCallerGone,
      onConnected() {
        connected = true;
        rounds.onConnected();
        loop.wake();
      },
      onLost() {
        connected = false;
        rounds.onLost();
        void options.registry.lose();
      },
      onAbsent() {
        connected = false;
        options.onAbsent();
      },
    });
  }

  return {
    get running() {
      return run !== undefined;
    },
    get connected() {
      return connected;
    },
    start: begin,
    poke() {
      run?.loop.wake();
    },
    async stop() {
      await run?.end();
      run = undefined;
      connected = false;
    },
  };
}
