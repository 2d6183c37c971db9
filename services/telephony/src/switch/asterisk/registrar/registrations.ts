import type { Logger } from '@sabia/service-kit/logging';
import type { Database, Transaction } from '@sabia/service-kit/postgres/database';
import { createPeriodicWork } from '@sabia/service-kit/work/periodic-work';
import type { Registration } from '../../../domain/registration';
import type { RegistrationEvent } from '../../../domain/registration-event';
import {
  deleteExpiredContacts,
  findContact,
  hasContact,
  hasContactChanges,
  listContactIds,
  lockContactChanges,
  takeContactChanges,
} from '../../../storage/contacts';
import { forgetOldSources, rememberSource } from '../../../storage/known-sources';
import type { ExtensionName } from '../../port';
import type { AriClient } from '../ari-client';
import { addressOf, toRegistration, toRegistrationEvent } from './contact-change';

const BATCH = 200;
const SWEEP_MS = 30_000;
/** Asterisk removes an expired contact within ten seconds; one that stays longer was left behind by an Asterisk that is gone. */
const ABANDONED_AFTER_SECONDS = 60;

export interface RegistrationsOptions {
  database: Database;
  ari: Pick<AriClient, 'deleteObject'>;
  log: Logger;
  /** Runs in the transaction that removes the change: its writes happen exactly once. */
  onRegistration: (event: RegistrationEvent, tx: Transaction) => Promise<void>;
  pollMs?: number;
}

export interface Registrations {
  start(): void;
  stop(): Promise<void>;
  /** As of now, even if the registration has not been published yet. */
  isRegistered(extension: ExtensionName): Promise<boolean>;
  /** Undefined: no softphone is registered. */
  find(extension: ExtensionName): Promise<Registration | undefined>;
  /** Removes the softphone of an extension that was deleted or renumbered, or has a new password, or on request of a user. */
  throwOut(extension: ExtensionName): Promise<void>;
}

/**
 * Follows the registrations of softphones. Asterisk writes its contacts into sip.ps_contacts as part of each registration, and a
 * trigger there notes every change (see deploy/asterisk/README.md for why ARI's events are not enough). This reads the notes.
 */
export function createRegistrations(options: RegistrationsOptions): Registrations {
  const { database, ari, log, onRegistration, pollMs = 200 } = options;

  /** Returns how many changes there were. */
  const publishChanges = async (): Promise<number> => {
    if (!(await hasContactChanges(database))) return 0;
    return database.transaction(async (tx) => {
      if (!(await lockContactChanges(tx))) return 0;
      const changes = await takeContactChanges(tx, BATCH);
      for (const change of changes) {
        const address = addressOf(change.uri);
        if (address !== undefined) await rememberSource(tx, { endpoint: change.endpoint, address });
        const event = toRegistrationEvent(change);
        if (event) await onRegistration(event, tx);
      }
      return changes.length;
    });
  };

  const sweep = async (): Promise<void> => {
    await deleteExpiredContacts(database, ABANDONED_AFTER_SECONDS);
    await forgetOldSources(database);
  };

  // The changes stay in their table while the database is away.
  const following = createPeriodicWork({
    name: 'registrations of softphones',
    everyMs: pollMs,
    retryMs: 1_000,
    work: async () => (await publishChanges()) === BATCH,
    log,
  });
  const sweeping = createPeriodicWork({ name: 'abandoned contacts', everyMs: SWEEP_MS, work: sweep, log });

  return {
    start() {
      following.start();
      sweeping.start();
    },
    async stop() {
      await Promise.all([following.stop(), sweeping.stop()]);
    },
    isRegistered: (extension) => hasContact(database, endpointOf(extension)),
    async find(extension) {
      const contact = await findContact(database, endpointOf(extension));
      return contact && toRegistration(contact);
    },
    async throwOut(extension) {
      const ids = await listContactIds(database, endpointOf(extension));
      for (const id of ids) await ari.deleteObject('contact', id.replaceAll('^3B', ';'));
    },
  };
}

const endpointOf = ({ domain, ramal }: ExtensionName): string => `${ramal}@${domain}`;
