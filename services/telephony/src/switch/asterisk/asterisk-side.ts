import type { Meter } from '@opentelemetry/api';
import type { Nats } from '@sabia/service-kit/events/nats/connection';
import type { Outbox } from '@sabia/service-kit/events/outbox';
import type { Logger } from '@sabia/service-kit/logging';
import type { Database } from '@sabia/service-kit/postgres/database';
import type { Extensions } from '../../clients/extensions';
import type { AsteriskConfig } from '../../config';
import { COME_BACK_MS } from '../../domain/live-call';
import type { TimePolicy } from '../../domain/live-call';
import type { SwitchNode } from '../../domain/switch-node';
import type { Trunk } from '../../domain/trunk';
import { registrationChanged } from '../../events/published';
import { createPeriodicWork } from '@sabia/service-kit/work/periodic-work';
import { keepTrunkServers, noteTrunkServers, readCarrierEdges, replaceTrunkSources } from '../../storage/edges';
import { noteTransferFailed, noteTransferred } from '../../storage/leg-changes';
import { resignOffice, takeOffice } from '../../storage/switch-offices';
import type { CallSwitch, SwitchPlane } from '../port';
import { createHistory } from './call-history';
import { createCarrierEdges } from './carrier-edges';
import { createCarrierRegistration } from './carrier-registration';
import { createCarrierServers, edgeTrunksOf } from './carrier-servers';
import { createSipCapture } from './capture/capture';
import { createGuardWatch } from './registrar/guard-watch';
import { createRegistrations } from './registrar/registrations';
import type { Registrations } from './registrar/registrations';
import { createLegEventCleaner } from './leg-event-cleaner';
import { createNodeList } from './node-list';
import { createDialTurn } from './dial-turn';
import { createNextTrunk } from './next-trunk';
import { createAsteriskSwitch } from './switch';
import { createTrunkStates } from './trunk-states';

export interface AsteriskSideOptions {
  asterisk: AsteriskConfig;
  trunks: readonly Trunk[];
  policy: Pick<TimePolicy, 'maximumSeconds' | 'ringSeconds'>;
  /** A call waits for so long for a carrier at most. */
  waitSeconds: number;
  /** A call waits for another carrier. */
  onWaiting: () => void;
  database: Database;
  outbox: Outbox;
  nats: Nats;
  extensions: Pick<Extensions, 'resolve' | 'tryCode'>;
  meter: Meter;
  log: Logger;
  now: () => Date;
}

/** How long the switch that registers with carriers may be away before another one does. Longer than a takeover lasts. */
const OFFICE_SECONDS = 15;
const office = 'carrier-registration';
/** How soon a carrier is found that has moved to another address. */
const LOOK_UP_MS = 30_000;

/** The Asterisk nodes as switches, the registrations of softphones at the edges, and what the edges tell of wrong passwords. */
export function createAsteriskSide(options: AsteriskSideOptions) {
  const { asterisk, trunks, policy, database, outbox, nats, extensions, meter, log, now } = options;
  const { user, password, app } = asterisk;
  const listNodes = createNodeList({ nodes: asterisk.nodes, log });
  const history = createHistory({ database, log, now });
  const accountOf = createAccountLookup(extensions);
  const registrations: Registrations = createRegistrations({
    database,
    log,
    async onRegistration(event, tx) {
      const accountId = await accountOf(event);
      if (accountId !== undefined) {
        await outbox.write(tx, [registrationChanged(event, accountId)]);
      }
    },
  });
  const guard = createGuardWatch({ database, meter, log });
  const capture = asterisk.capture && createSipCapture({ listen: asterisk.capture, database, nats, meter, log });
  const wayToCarrier = createCarrierEdges({
    read: () => readCarrierEdges(database),
    log,
    now: () => performance.now(),
  });
  const open = (node: SwitchNode): CallSwitch =>
    createAsteriskSwitch({
      node,
      user,
      password,
      app,
      trunks,
      integratedCallHeader: asterisk.integratedCallHeader,
      maximumSeconds: policy.maximumSeconds,
      ringSeconds: policy.ringSeconds,
      clock: history.clockOf(node.name),
      tryCode: extensions.tryCode,
      answeredAt: async (call) => (await history.read(call)).answeredAt,
      hasRecord: history.hasRecord,
      legs: capture?.legs,
      registration: (own) =>
        createCarrierRegistration({
          ari: own,
          trunks,
          takeOffice: () => takeOffice(database, { name: office, switchName: node.name, seconds: OFFICE_SECONDS }),
          resignOffice: () => resignOffice(database, { name: office, switchName: node.name }),
          log,
        }),
      nextTrunk: createNextTrunk({ database, waitSeconds: options.waitSeconds, onWaiting: options.onWaiting, now }),
      wayToCarrier,
      dialTurn: createDialTurn(database),
      onTransferred: (by, transferred) => noteTransferred(database, by, transferred),
      onTransferFailed: (callId, side) =>
        noteTransferFailed(database, callId, { side, until: new Date(now().getTime() + COME_BACK_MS) }),
      log,
      now,
    });
  const plane: SwitchPlane = {
    recordingSettlesMs: 3_000,
    isRegistered: (extension) => registrations.isRegistered(extension),
    historyOf: history.readSettled,
    listNodes,
    open,
  };
  /** The edges know no other carriers, neither those that call nor those that are called. */
  async function tellEdges(): Promise<void> {
    await replaceTrunkSources(
      database,
      trunks.flatMap(({ name, inbound = [] }) => inbound.map((network) => ({ trunk: name, network }))),
    );
    await keepTrunkServers(
      database,
      edgeTrunksOf(trunks).map(({ name }) => name),
    );
  }
  const carrierServers = createPeriodicWork({
    name: 'addresses of carriers',
    everyMs: LOOK_UP_MS,
    work: createCarrierServers({ trunks, note: (servers) => noteTrunkServers(database, servers), log }),
    log,
  });
  const legEventCleaner = createPeriodicWork({
    name: 'old leg events',
    everyMs: 60_000,
    work: createLegEventCleaner({ database, now }),
    log,
  });
  return {
    plane,
    registrations,
    trunkStates: createTrunkStates({ listNodes, trunks, user, password }),
    start() {
      registrations.start();
      guard.start();
      tellEdges().catch((error: unknown) =>
        log.error({ err: error }, 'the addresses of carriers could not be written: edges do not know them'),
      );
      carrierServers.start();
      legEventCleaner.start();
      capture?.start();
    },
    async stop() {
      await guard.stop();
      await Promise.all([registrations.stop(), carrierServers.stop(), legEventCleaner.stop(), capture?.stop()]);
    },
  };
}

const MOST_DOMAINS = 10_000;

/** A domain never changes its account, so each is looked up once. Undefined: there is no such extension. */
function createAccountLookup(extensions: Pick<Extensions, 'resolve'>) {
  const known = new Map<string, number>();
  return async ({ domain, ramal }: { domain: string; ramal: string }): Promise<number | undefined> => {
    const account = known.get(domain);
    if (account !== undefined) {
      return account;
    }
    const resolved = await extensions.resolve({ domain, ramal });
    if (resolved !== undefined) {
      if (known.size >= MOST_DOMAINS) known.clear();
      known.set(domain, resolved.accountId);
    }
    return resolved?.accountId;
  };
}
