import { randomUUID } from 'node:crypto';
import { broadcast, broadcastSubject, onBroadcast } from '@sabia/service-kit/events/nats/broadcast';
import type { Nats } from '@sabia/service-kit/events/nats/connection';
import type { Logger } from '@sabia/service-kit/logging';
import type { Database } from '@sabia/service-kit/postgres/database';
import type { CallMetrics, LiveCallCounts } from '../call-metrics';
import type { Billing } from '../clients/billing';
import type { TimePolicy } from '../domain/live-call';
import { countByStatus } from '../storage/live-calls';
import type { CallSwitch, IncomingCall } from '../switch/port';
import { createAbsence } from './absence';
import type { CallProgress } from './call-progress';
import { createDriver } from './driver';
import { createDuties } from './duties';
import { createLeaseHolder } from './lease-holder';

export interface EngineOptions {
  database: Database;
  nats: Nats;
  callSwitch: CallSwitch;
  progress: CallProgress;
  billing: Pick<Billing, 'extend'>;
  /** Takes a call that began on the switch. Rejects when the call is refused. */
  admit: (call: IncomingCall) => Promise<void>;
  fetchRecordings: () => Promise<void>;
  metrics: Pick<CallMetrics, 'watch'>;
  policy: TimePolicy;
  leaseSeconds: number;
  absenceSeconds: number;
  pollMs: number;
  log: Logger;
  now: () => Date;
}

export interface Engine {
  /** Wakes the driver, whichever replica it is in: there is a call to place or to end. */
  poke(): void;
  /** Refreshes the number of live calls in the metrics. */
  count(): Promise<void>;
  start(): void;
  stop(): Promise<void>;
}

const workSubject = broadcastSubject('telephony.switch.work');

/** Keeps calls going: the replica that holds the lease of the switch drives it, the others stand by. */
export function createEngine(options: EngineOptions): Engine {
  const { database, nats, callSwitch, progress, billing, metrics, policy, log, now } = options;
  const switchName = callSwitch.name;
  const driver = createDriver({
    database,
    callSwitch,
    progress,
    createDuties: () => createDuties({ database, callSwitch, progress, billing, policy, log, now }),
    admit: options.admit,
    fetchRecordings: options.fetchRecordings,
    isEntitled: () => lease.holds,
    onAbsent: () => lease.resign(),
    log,
    now,
    pollMs: options.pollMs,
  });
  const absence = createAbsence({
    database,
    switchName,
    progress,
    policy,
    absenceSeconds: options.absenceSeconds,
    log,
    now,
  });
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
    /** A broadcast that gets lost costs a moment only: the driver also looks by itself. */
    poke() {
      if (driver.running) {
        driver.poke();
      } else if (nats.connected) {
        broadcast(nats, workSubject, new Uint8Array()).catch(() => undefined);
      }
    },
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
