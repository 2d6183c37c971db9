import type { Meter } from '@opentelemetry/api';
import type { Outbox } from '@sabia/service-kit/events/outbox';
import type { Logger } from '@sabia/service-kit/logging';
import type { Database } from '@sabia/service-kit/postgres/database';
import type { Extensions } from '../../clients/extensions';
import type { AsteriskConfig } from '../../config';
import type { TimePolicy } from '../../domain/live-call';
import type { Trunk } from '../../domain/trunk';
import { registrationChanged } from '../../events/published';
import { createPeriodic } from '../../periodic';
import { nextAttempt } from '../../storage/live-calls';
import { createAriClient } from './ari-client';
import { createAriHttp } from './ari-http';
import { createHistoryReader } from './call-history';
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
  policy: TimePolicy;
  database: Database;
  outbox: Outbox;
  extensions: Extensions;
  meter: Meter;
  log: Logger;
  now: () => Date;
}

/** The switch, and the softphones that come and go at it. */
export function createAsteriskSide(options: AsteriskSideOptions) {
  const { asterisk, policy, database, outbox, extensions, log, now } = options;
  // For requests alone: whoever drives the switch has a connection of its own for what happens there.
  const ari = createAriClient({ ...asterisk, log, onEvent: () => undefined });
  // A replica that does not drive asks whether it could, and does not wait long for the answer.
  const probe = createAriHttp({ ...asterisk, timeoutMs: 1_000 });
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
  const guard = createSecurityGuard({ ...options, ari, rules: { ...defaultGuardRules, spared } });
  const security =
    asterisk.ami &&
    new SecurityEvents({
      ...asterisk.ami,
      log,
      onEvent: (event) => guard.handle(event),
      onConnected: () => guard.onConnected(),
    });
  const callSwitch = createAsteriskSwitch({
    ...options,
    ...asterisk,
    ...policy,
    isRegistered: (extension) => registrations.isRegistered(extension),
    isReachable: () =>
      probe.request('GET', '/asterisk/ping').then(
        () => true,
        () => false,
      ),
    readHistory: createHistoryReader(options),
    onAttempt: (callId, attempt) => nextAttempt(database, callId, attempt),
  });
  const legEventCleaner = createPeriodic({
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
    },
    async stop() {
      security?.stop();
      await guard.stop();
      await Promise.all([registrations.stop(), legEventCleaner.stop()]);
      await Promise.all([ari.stop(), probe.close()]);
    },
  };
}

const MOST_DOMAINS = 10_000;

/** A domain belongs to one account for ever, so it is asked for once. Undefined: nobody's. */
function createAccountLookup(extensions: Extensions) {
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
