import type { Logger } from '@sabia/service-kit/logging';
import { createPeriodicWork } from '@sabia/service-kit/work/periodic-work';
import type { Trunk } from '../../domain/trunk';
import type { AriClient } from './ari-client';
import { pjsipObjectsOf } from './trunk-declaration';

export interface CarrierRegistrationOptions {
  ari: Pick<AriClient, 'putObject' | 'deleteObject'>;
  trunks: readonly Trunk[];
  /** Whether this switch is the one that registers, which it must ask for again and again. */
  takeOffice: () => Promise<boolean>;
  resignOffice: () => Promise<void>;
  log: Logger;
}

export type CarrierRegistration = ReturnType<typeof createCarrierRegistration>;

const ROUND_MS = 2_000;

/**
 * Registers with the carriers that want it, from exactly one switch of the fleet: a carrier that keeps one registration per account
 * would send calls to whichever registered last. The others call out over the same trunks without a registration of their own.
 */
export function createCarrierRegistration(options: CarrierRegistrationOptions) {
  const { ari, trunks, takeOffice, resignOffice, log } = options;
  const registrations = trunks.flatMap((trunk) =>
    pjsipObjectsOf(trunk)
      .filter(({ type }) => type === 'registration')
      .map(({ type, fields }) => ({ type, name: trunk.name, fields })),
  );
  let isRegistered: boolean | undefined;
  let isWilling = true;

  async function register(): Promise<void> {
    for (const { type, name, fields } of registrations) await ari.putObject(type, name, fields);
    isRegistered = true;
    log.info({ trunks: registrations.map(({ name }) => name) }, 'this switch registers with the carriers now');
  }

  /** Asterisk tells the carrier when a registration is removed. */
  async function unregister(): Promise<void> {
    for (const { type, name } of registrations) await ari.deleteObject(type, name);
    isRegistered = false;
  }

  async function look(): Promise<void> {
    if (isWilling && (await takeOffice())) {
      if (isRegistered !== true) await register();
      return;
    }
    if (isRegistered !== false) await unregister();
    if (!isWilling) await resignOffice();
  }

  const rounds = createPeriodicWork({ name: 'registration with carriers', everyMs: ROUND_MS, work: look, log });
  return {
    start(): void {
      if (registrations.length > 0) rounds.start();
    },
    /** A switch that takes no new calls leaves the registration to another. */
    setWilling(willing: boolean): void {
      if (isWilling !== willing) {
        isWilling = willing;
        rounds.wake();
      }
    },
    stop: () => rounds.stop(),
  };
}
