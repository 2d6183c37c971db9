import type { Meter } from '@opentelemetry/api';
import type { Logger } from '@sabia/service-kit/logging';
import type { AriClient } from './ari-client';
import { AriError } from './ari-http';
import { BanList, type BanRules } from './ban-list';
import type { SecurityEvent } from './security-event';

/** Only these prove that the source received our challenge; any other may bear a forged address. */
const STRIKES = new Set(['ChallengeResponseFailed', 'InvalidPassword']);
const WEBSOCKETS = new Set(['WS', 'WSS']);
const MOST_SOURCES_BY_NAME = 100;
const ACL = 'banned';

export interface SecurityGuardOptions {
  ari: Pick<AriClient, 'putObject' | 'deleteObject'>;
  meter: Meter;
  log: Logger;
  rules?: BanRules;
  now?: () => Date;
}

export interface SecurityGuard {
  handle(event: SecurityEvent): void;
  /** Writes the present bans to Asterisk: to be called after each connection, because they live in its memory. */
  apply(): Promise<void>;
  readonly banned: readonly string[];
  stop(): void;
}

/**
 * Counts failed registrations and bans who fails too often. A ban is a rule of the PJSIP ACL in Asterisk's memory: whatever
 * comes from there is answered 403 before any lookup. Web phones all come from the gateway, so they are counted only.
 */
export function createSecurityGuard(options: SecurityGuardOptions): SecurityGuard {
  const { ari, meter, log, rules, now = () => new Date() } = options;
  const list = new BanList(rules);
  const failures = meter.createCounter('sabia_sip_failed_authentications_total', {
    description: 'SIP requests with a wrong password or an unknown account, by source (the first hundred by name)',
  });
  const bans = meter.createCounter('sabia_sip_bans_total', { description: 'Sources banned for failing too often' });
  // Whoever reads shall know it before the first one fails.
  failures.add(0);
  const known = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  let writing = Promise.resolve();

  meter
    .createObservableGauge('sabia_sip_banned_sources', { description: 'Sources banned at present' })
    .addCallback((result) => result.observe(list.banned.length));

  const nameOf = (address: string): string => {
    if (known.size < MOST_SOURCES_BY_NAME) known.add(address);
    return known.has(address) ? address : 'other';
  };

  const write = async (): Promise<void> => {
    const deny = list.banned.map((address) => `${address}/${address.includes(':') ? 128 : 32}`).join(',');
    try {
      if (deny) await ari.putObject('acl', ACL, { deny }).catch(unlessUnprintable);
      else await ari.deleteObject('acl', ACL);
    } catch (error) {
      log.error({ err: error }, 'the list of banned SIP sources could not be written');
    }
  };

  const apply = async (): Promise<void> => {
    list.expire(now().getTime());
    clearTimeout(timer);
    const { nextExpiry } = list;
    if (nextExpiry !== undefined) timer = setTimeout(() => void apply(), Math.max(0, nextExpiry - now().getTime()) + 1);
    timer?.unref();
    // One after the other, so that the last list is the one that stays.
    writing = writing.then(write);
    await writing;
  };

  return {
    apply,
    handle({ kind, account, transport, address }) {
      if (!STRIKES.has(kind)) return;
      failures.add(1, { source: nameOf(address), transport });
      if (WEBSOCKETS.has(transport) || !list.fail(address, now().getTime())) return;
      bans.add(1);
      log.warn({ address, account }, 'a SIP source failed to authenticate too often and is banned for a while');
      void apply();
    },
    get banned() {
      return list.banned;
    },
    stop: () => clearTimeout(timer),
  };
}

/** Asterisk takes the object and then fails to print it back, as an ACL has no printable form. */
function unlessUnprintable(error: unknown): void {
  if (!(error instanceof AriError) || error.status !== 500 || !error.message.includes('Allocation failed')) throw error;
}
