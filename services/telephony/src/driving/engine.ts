import type { Logger } from '@sabia/service-kit/logging';
import type { Database } from '@sabia/service-kit/postgres/database';
import type { CallMetrics, LiveCallCounts } from '../call-metrics';
import type { Billing } from '../clients/billing';
import type { TimePolicy } from '../domain/live-call';
import { countByStatus } from '../storage/live-calls';
import type { Origin } from '../placing/admission';
import type { CallSwitch, IncomingCall } from '../switch/port';
import type { CallProgress } from './call-progress';
import { createDriver } from './driver';
import type { DriverOptions } from './driver';
import { createDuties } from './duties';
import { createLeaseHolder } from './lease-holder';
import { createRegistryWriter } from './registry-writer';

export interface EngineOptions {
  database: Database;
  callSwitch: CallSwitch;
  progress: CallProgress;
  billing: Pick<Billing, 'extend'>;
  /** Takes a call that began on the switch. Rejects when the call is refused. */
  admit: (call: IncomingCall, origin: Origin) => Promise<void>;
  onCallerGone: DriverOptions['onCallerGone'];
  fetchRecordings: () => Promise<void>;
  takers: DriverOptions['takers'];
  left: DriverOptions['left'];
  metrics: Pick<CallMetrics, 'watch'>;
  policy: TimePolicy;
  /** Names this process. */
  holder: string;
  leaseSeconds: number;
  /** False: this replica drives its share of the switches already. */
  isWanting: () => boolean;
  pollMs: number;
  log: Logger;
  now: () => Date;
}

/** Keeps the calls of one switch going: the replica that holds its lease drives it, the others stand by. */
export interface Engine {
  readonly drives: boolean;
  /** There is a call to place or to end on the switch. */
  poke(): void;
  /** Refreshes the number of live calls in the metrics. */
  count(): Promise<void>;
  /** Leaves the switch to another replica. */
  handOver(): void;
  start(): void;
  stop(): Promise<void>;
}

export function createEngine(options: EngineOptions): Engine {
  const { database, callSwitch, progress, billing, metrics, policy, log, now } = options;
  const switchName = callSwitch.name;
  const driver = createDriver({
    database,
    callSwitch,
    progress,
    createDuties: (own) => createDuties({ database, callSwitch, progress: own, billing, policy, log, now }),
    registry: createRegistryWriter({ database, callSwitch, term: () => lease.term, log }),
    admit: (call) => options.admit(call, { switchName, hold: () => callSwitch.hold(call.channel) }),
    onCallerGone: options.onCallerGone,
    fetchRecordings: options.fetchRecordings,
    takers: options.takers,
    left: options.left,
    isEntitled: () => lease.holds,
    term: () => lease.term,
    ringSeconds: policy.ringSeconds,
    onAbsent: () => lease.resign(),
    log,
    now,
    pollMs: options.pollMs,
  });
  const lease = createLeaseHolder({
    database,
    switchName,
    holder: options.holder,
    seconds: options.leaseSeconds,
    log,
    isReachable: () => callSwitch.isReachable(),
    isWanting: options.isWanting,
    onGained: () => driver.start(),
    onLost: () => driver.stop(),
  });
  let liveCalls: LiveCallCounts = {};
  const unwatch = metrics.watch({
    switchName,
    connected: () => driver.connected,
    liveCalls: () => (driver.running ? liveCalls : {}),
  });

  return {
    get drives() {
      return driver.running;
    },
    poke: () => driver.poke(),
    async count() {
      liveCalls = driver.running ? await countByStatus(database, switchName) : {};
    },
    handOver: () => lease.handOver(),
    start: () => lease.start(),
    async stop() {
      await lease.stop();
      unwatch();
    },
  };
}
