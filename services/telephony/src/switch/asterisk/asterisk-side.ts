import type { Meter } from '@opentelemetry/api';
import type { Nats } from '@sabia/service-kit/events/nats/connection';
import type { Outbox } from '@sabia/service-kit/events/outbox';
import type { Logger } from '@sabia/service-kit/logging';
import type { Database } from '@sabia/service-kit/postgres/database';
import type { Extensions } from '../../clients/extensions';
import type { AsteriskConfig } from '../../config';
import { COME_BACK_MS } from '../../domain/live-call';
import type { TimePolicy } from '../../domain/live-call';
import type { Trunk } from '../../domain/trunk';
import { registrationChanged } from '../../events/published';
import { createPeriodicWork } from '@sabia/service-kit/work/periodic-work';
import { noteTransferFailed, noteTransferred } from '../../storage/leg-changes';
import { nextAttempt } from '../../storage/live-calls';
import { createAriClient } from './ari-client';
import { createAriHttp } from './ari-http';
import { createHistoryReader } from './call-history';
import { createSipCapture } from './capture/capture';
import { defaultGuardRules } from './registrar/guard-rules';
import { createRegistrations } from './registrar/registrations';
import type { Registrations } from './registrar/registrations';
import { SecurityEvents } from './registrar/security-events';
import { createSecurityGuard } from './registrar/security-guard';
import { createLegEventCleaner } from './leg-event-cleaner';
import { createAsteriskSwitch } from './switch';

export interface AsteriskSideOptions {
  asterisk: AsteriskConfig;
  trunks: readonly Trunk[];
  policy: Pick<TimePolicy, 'maximumSeconds' | 'ringSeconds'>;
  database: Database;
  outbox: Outbox;
  nats: Nats;
  extensions: Pick<Extensions, 'resolve'>;
  meter: Meter;
  log: Logger;
  now: () => Date;
}

/** Asterisk as a switch, the registrations of softphones there, and the guard against password guessing. */
export function createAsteriskSide(options: AsteriskSideOptions) {
  const { asterisk, trunks, policy, database, outbox, nats, extensions, meter, log, now } = options;
  const { url, user, password, app } = asterisk;
  // Never started, so for requests only: the switch opens its own stream of events while this replica drives it.
  const ari = createAriClient({ url, user, password, app, log, onEvent: () => undefined });
  // A replica on standby asks whether Asterisk can be reached, and does not wait long for the response.
  const probe = createAriHttp({ url, user, password, timeoutMs: 1_000 });
  const accountOf = createAccountLookup(extensions);
  const registrations: Registrations = createRegistrations({
    database,
    ari,
    log,
    async onRegistration(event, tx) {
      const accountId = await accountOf(event);
      if (accountId !== undefined) {
        await outbox.write(tx, [registrationChanged(event, accountId)]);
      }
    },
  });
  const { sipSpared: spared = defaultGuardRules.spared } = asterisk;
  const guard = createSecurityGuard({ database, ari, meter, log, rules: { ...defaultGuardRules, spared }, now });
  const { ami } = asterisk;
  const security =
    ami &&
    new SecurityEvents({
      host: ami.host,
      port: ami.port,
      user: ami.user,
      password: ami.password,
      log,
      onEvent: (event) => guard.handle(event),
      onConnected: () => guard.onConnected(),
    });
  const capture = asterisk.capture && createSipCapture({ listen: asterisk.capture, database, nats, meter, log });
  const callSwitch = createAsteriskSwitch({
    url,
    user,
    password,
    app,
    trunks,
    integratedCallHeader: asterisk.integratedCallHeader,
    maximumSeconds: policy.maximumSeconds,
    ringSeconds: policy.ringSeconds,
    isRegistered: registrations.isRegistered,
    isReachable: () =>
      probe.request('GET', '/asterisk/ping').then(
        () => true,
        () => false,
      ),
    readHistory: createHistoryReader({ database, log }),
    legs: capture?.legs,
    onAttempt: (callId, attempt) => nextAttempt(database, callId, attempt),
    onTransferred: (callId, leg) => noteTransferred(database, callId, leg),
    onTransferFailed: (callId, side) =>
      noteTransferFailed(database, callId, { side, until: new Date(now().getTime() + COME_BACK_MS) }),
    log,
    now,
  });
  const legEventCleaner = createPeriodicWork({
    name: 'old leg events',
    everyMs: 60_000,
    work: createLegEventCleaner({ database, now }),
    log,
  });
  return {
    callSwitch,
    registrations,
    start() {
      registrations.start();
      guard.start();
      security?.start();
      legEventCleaner.start();
      capture?.start();
    },
    async stop() {
      security?.stop();
      await guard.stop();
      await Promise.all([registrations.stop(), legEventCleaner.stop(), capture?.stop()]);
      await Promise.all([ari.stop(), probe.close()]);
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
