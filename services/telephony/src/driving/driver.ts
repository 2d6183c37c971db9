import type { Outbox } from '@sabia/service-kit/events/outbox';
import type { Logger } from '@sabia/service-kit/logging';
import type { Database } from '@sabia/service-kit/postgres/database';
import type { Billing } from '../clients/billing';
import type { TimePolicy } from '../domain/live-call';
import type { RecordingUrls } from '../domain/recording-url';
import type { CallMetrics } from '../call-metrics';
import { createCallProgress } from './call-progress';
import { createDuties } from './duties';
import { createEventWriter } from './event-writer';
import { PlacingError } from '../switch/port';
import type { CallSwitch, IncomingCall } from '../switch/port';
import { createRounds } from './rounds';
import { createSerialWork } from './serial-work';
import { startWorkLoop } from './work-loop';
import type { WorkLoop } from './work-loop';

export interface Driver {
  readonly running: boolean;
  /** The switch is reached. */
  readonly connected: boolean;
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
  metrics: CallMetrics;
  urls: Pick<RecordingUrls, 'urlOf'>;
  /** Somebody called who was not asked to. Rejects when the call cannot be taken. */
  admit: (call: IncomingCall) => Promise<void>;
  fetchRecordings: () => Promise<void>;
  /** Nobody else can be driving at this moment. */
  isEntitled: () => boolean;
  /** The switch is out of reach from here; another replica may reach it. */
  onAbsent: () => void;
  log: Logger;
  now: () => Date;
  /** Without being poked. */
  pollMs: number;
}

interface Run {
  loop: WorkLoop;
  end(): Promise<void>;
}

const RETRY_MS = 500;

/** Drives every call of one switch. Holds nothing that is not in the database too, so that another one can go on at any moment. */
export function createDriver(options: DriverOptions): Driver {
  const { callSwitch, log, pollMs } = options;
  let run: Run | undefined;
  let connected = false;

  async function admit(call: IncomingCall): Promise<void> {
    try {
      await options.admit(call);
    } catch (error) {
      log.warn({ err: error, dialled: call.dialled }, 'a call that came in could not be taken');
      const cause = error instanceof PlacingError ? error.hangupCause : 'NORMAL_TEMPORARY_FAILURE';
      await callSwitch.refuse(call.channel, cause).catch(() => undefined);
    }
  }

  async function begin(): Promise<void> {
    const progress = createCallProgress(options);
    const serial = createSerialWork();
    const writer = createEventWriter({
      ...{ progress, serial, log, retryMs: RETRY_MS },
      onWritten: ({ kind }) => ['ended', 'gone', 'recorded'].includes(kind) && loop.wake(),
    });
    const duties = createDuties({ ...options, progress });
    const rounds = createRounds({ ...options, duties, writer, serial });
    const loop = startWorkLoop({
      ...{ work: () => rounds.work(), pauseMs: pollMs, retryMs: RETRY_MS },
      onFailure: (error, again) => log[again ? 'debug' : 'warn']({ err: error }, 'calls cannot be driven just now'),
    });
    run = {
      loop,
      async end() {
        await loop.stop();
        // What the switch says when it is left is no news of a call.
        writer.close();
        await callSwitch.stop();
        await rounds.idle();
      },
    };
    await callSwitch.start({
      onEvent: (event) => writer.write(event),
      onIncoming: (call) => void admit(call),
      onConnected() {
        connected = true;
        rounds.onConnected();
        loop.wake();
      },
      onLost() {
        connected = false;
        rounds.onLost();
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
