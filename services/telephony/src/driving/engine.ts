import { randomUUID } from 'node:crypto';
import { broadcast, broadcastSubject, onBroadcast } from '@sabia/service-kit/events/nats/broadcast';
import type { Nats } from '@sabia/service-kit/events/nats/connection';
import type { Outbox } from '@sabia/service-kit/events/outbox';
import type { Logger } from '@sabia/service-kit/logging';
import type { Database } from '@sabia/service-kit/postgres/database';
import type { CountryCode } from 'libphonenumber-js/max';
import type { Billing } from '../clients/billing';
import type { Extensions } from '../clients/extensions';
import type { TimePolicy } from '../domain/live-call';
import type { RecordingUrls } from '../domain/recording-url';
import { findPreferences } from '../storage/account-zones';
import { countByStatus } from '../storage/live-calls';
import { createAbsence } from './absence';
import { createAdmission } from '../placing/admission';
import type { CallMetrics, LiveCallCounts } from '../call-metrics';
import { createCallProgress } from './call-progress';
import { createDriver } from './driver';
import { createLeaseHolder } from './lease-holder';
import { createPlacement } from '../placing/placement';
import type { Placement } from '../placing/placement';
import type { CallSwitch } from '../switch/port';
import { createRecordingFetcher } from '../recordings/fetcher';
import type { Mp3Copies } from '../recordings/mp3-copies';
import type { RecordingStore } from '../recordings/store';

export interface EngineOptions {
  database: Database;
  outbox: Outbox;
  nats: Nats;
  callSwitch: CallSwitch;
  extensions: Extensions;
  billing: Billing;
  store: RecordingStore;
  mp3Copies: Pick<Mp3Copies, 'makeAhead'>;
  urls: RecordingUrls;
  policy: TimePolicy;
  metrics: CallMetrics;
  maximumLiveCalls: number;
  leaseSeconds: number;
  absenceSeconds: number;
  pollMs: number;
  phoneCountry: CountryCode;
  /** Of accounts that identity has told nothing about. */
  timeZone: string;
  log: Logger;
  now: () => Date;
}

export interface Engine {
  placement: Placement;
  /** There is something for the driver to do, whichever replica it is in. */
  poke(): void;
  /** Keeps the number of calls up to date for those who read metrics. */
  count(): Promise<void>;
  start(): void;
  stop(): Promise<void>;
}

const workSubject = broadcastSubject('telephony.switch.work');

/** All that keeps calls going. Every replica places calls; one of them drives the switch. */
export function createEngine(options: EngineOptions): Engine {
  const { database, nats, callSwitch, metrics, log } = options;
  const switchName = callSwitch.name;

  /** Who does not hear it finds the work a moment later by itself. */
  const poke = (): void => {
    if (driver.running) {
      driver.poke();
    } else if (nats.connected) {
      broadcast(nats, workSubject, new Uint8Array()).catch(() => undefined);
    }
  };
  const placement = createPlacement({ ...options, switchName, onPlaced: poke });
  const preferencesOf = async (accountId: number): Promise<{ timeZone: string; areaCode: string }> =>
    (await findPreferences(database, accountId)) ?? { timeZone: options.timeZone, areaCode: '' };
  const driver = createDriver({
    ...options,
    admit: createAdmission({ ...options, placement, preferencesOf }),
    fetchRecordings: createRecordingFetcher(options),
    isEntitled: () => lease.holds,
    onAbsent: () => lease.resign(),
  });
  const absence = createAbsence({ ...options, switchName, progress: createCallProgress(options) });
  const lease = createLeaseHolder({
    database,
    switchName,
    holder: randomUUID(),
    seconds: options.leaseSeconds,
    log,
    isReachable: () => callSwitch.isReachable(),
    onUnreachable: () => absence.look(),
    onGained: () => driver.start(),
    onLost: () => driver.stop(),
  });
  let liveCalls: LiveCallCounts = {};
  metrics.watch({
    switchName,
    connected: () => driver.connected,
    liveCalls: () => (driver.running ? liveCalls : {}),
  });
  let stopListening = (): void => undefined;

  return {
    placement,
    poke,
    async count() {
      liveCalls = driver.running ? await countByStatus(database, switchName) : {};
    },
    start() {
      stopListening = onBroadcast(nats, workSubject, () => driver.poke());
      lease.start();
    },
    async stop() {
      stopListening();
      await lease.stop();
    },
  };
}
