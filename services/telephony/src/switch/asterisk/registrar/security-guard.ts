import type { Meter } from '@opentelemetry/api';
import type { Logger } from '@sabia/service-kit/logging';
import type { Database } from '@sabia/service-kit/postgres/database';
import { createPeriodicWork } from '@sabia/service-kit/work/periodic-work';
import { forgetOldLocks, lockExtension } from '../../../storage/extension-locks';
import type { AriClient } from '../ari-client';
import { FailureCounts } from './failure-counts';
import { createSpared, defaultGuardRules, type GuardRules } from './guard-rules';
import type { SecurityEvent } from './security-event';
import { createSourceBans } from './source-bans';

/** Only these prove that the source received the challenge; the address of any other event may be forged. */
const STRIKES = new Set(['ChallengeResponseFailed', 'InvalidPassword']);
const MOST_SOURCES_BY_NAME = 100;
const ROUND_MS = 1_000;

export interface SecurityGuardOptions {
  database: Database;
  ari: Pick<AriClient, 'putAcl' | 'deleteObject'>;
  meter: Meter;
  log: Logger;
  rules?: GuardRules;
  now?: () => Date;
}

export interface SecurityGuard {
  handle(event: SecurityEvent): void;
  /** Asterisk may have been restarted: writes the bans again. */
  onConnected(): void;
  start(): void;
  stop(): Promise<void>;
}

/**
 * Counts failed registrations and calls. An address that fails too often is banned. An extension with too many failures is
 * locked: only addresses that have registered it before may use it. Every replica counts all failures; bans and locks are rows,
 * so that each is made once and ends in time, whichever replica is running.
 */
export function createSecurityGuard(options: SecurityGuardOptions): SecurityGuard {
  const { database, ari, meter, log, rules = defaultGuardRules, now = () => new Date() } = options;
  const addresses = new FailureCounts(rules.address);
  const extensions = new FailureCounts(rules.extension);
  const isSpared = createSpared(rules.spared);
  const bans = createSourceBans({ database, ari, log, most: rules.mostBans });
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

  meter
    .createObservableGauge('sabia_sip_banned_sources', { description: 'Sources banned at present' })
    .addCallback((result) => result.observe(bans.count));

  const nameOf = (address: string): string => {
    if (known.size < MOST_SOURCES_BY_NAME) known.add(address);
    return known.has(address) ? address : 'other';
  };

  const ban = async (address: string, account: string): Promise<void> => {
    if (!(await bans.ban(address, rules.banMs))) return;
    banned.add(1);
    log.warn({ address, account }, 'a SIP source failed to authenticate too often and is banned for a while');
    await bans.reconcile();
  };

  const lock = async (endpoint: string): Promise<void> => {
    await lockExtension(database, { endpoint, forMs: rules.lockMs, spared: rules.spared });
    locked.add(1);
    log.warn(
      { extension: endpoint },
      'too many failed to authenticate as this extension: it is locked for unknown addresses',
    );
  };

  const told = (work: Promise<void>): void => {
    work.catch((error: unknown) => log.error({ err: error }, 'a ban or lock could not be written'));
  };

  const rounds = createPeriodicWork({
    name: 'bans of SIP sources',
    everyMs: ROUND_MS,
    async work() {
      await bans.reconcile();
      await forgetOldLocks(database);
    },
    log,
  });

  return {
    handle({ kind, account, transport, address }) {
      if (!STRIKES.has(kind)) return;
      failures.add(1, { source: nameOf(address), transport });
      const at = now().getTime();
      if (!isSpared(address) && addresses.fail(address, at)) told(ban(address, account));
      // Accounts without @ are trunks or <unknown>.
      if (account.includes('@') && extensions.fail(account, at)) told(lock(account));
    },
    onConnected() {
      bans.writeAgain();
      void bans.reconcile();
    },
    start: () => rounds.start(),
    stop: () => rounds.stop(),
  };
}
