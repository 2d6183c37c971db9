import type { Meter } from '@opentelemetry/api';
import type { Logger } from '@sabia/service-kit/logging';
import type { Database } from '@sabia/service-kit/postgres/database';
import { createPeriodicWork } from '@sabia/service-kit/work/periodic-work';
import {
  countBans,
  forgetOldGuesses,
  takeUntoldBans,
  takeUntoldGuesses,
  takeUntoldLocks,
} from '../../../storage/sip-guard';

const MOST_SOURCES_BY_NAME = 100;
const ROUND_MS = 1_000;

export interface GuardWatch {
  start(): void;
  stop(): Promise<void>;
}

/** Tells of wrong passwords, bans and locks, which are the SIP edges' work: each is told by one replica, in metrics and in the log. */
export function createGuardWatch({
  database,
  meter,
  log,
}: {
  database: Database;
  meter: Meter;
  log: Logger;
}): GuardWatch {
  const failures = meter.createCounter('sabia_sip_failed_authentications_total', {
    description: 'SIP requests with a wrong password or an unknown account, by source (the first hundred by name)',
  });
  const banned = meter.createCounter('sabia_sip_bans_total', { description: 'Sources banned for failing too often' });
  const locked = meter.createCounter('sabia_sip_extension_locks_total', {
    description: 'Extensions locked because of too many failures',
  });
  // The series exists from the start, so that its first increase is seen.
  failures.add(0);
  const known = new Set<string>();
  let bans = 0;

  meter
    .createObservableGauge('sabia_sip_banned_sources', { description: 'Sources banned at present' })
    .addCallback((result) => result.observe(bans));

  const nameOf = (source: string): string => {
    if (known.size < MOST_SOURCES_BY_NAME) known.add(source);
    return known.has(source) ? source : 'other';
  };

  const rounds = createPeriodicWork({
    name: 'wrong passwords of SIP',
    everyMs: ROUND_MS,
    async work() {
      for (const { source, transport, count } of await takeUntoldGuesses(database)) {
        failures.add(count, { source: nameOf(source), transport: transport.toUpperCase() });
      }
      for (const address of await takeUntoldBans(database)) {
        banned.add(1);
        log.warn({ address }, 'a SIP source failed to authenticate too often and is banned for a while');
      }
      for (const extension of await takeUntoldLocks(database)) {
        locked.add(1);
        log.warn(
          { extension },
          'too many failed to authenticate as this extension: it is locked for unknown addresses',
        );
      }
      bans = await countBans(database);
      await forgetOldGuesses(database);
    },
    log,
  });
  return { start: () => rounds.start(), stop: () => rounds.stop() };
}
