import type { Logger } from '@sabia/service-kit/logging';
import type { Database, Transaction } from '@sabia/service-kit/postgres/database';
import { createPeriodicWork } from '@sabia/service-kit/work/periodic-work';
import type { Registration } from '../../../domain/registration';
import type { RegistrationEvent } from '../../../domain/registration-event';
import {
  deleteContacts,
  deleteExpiredContacts,
  findContact,
  hasContact,
  hasContactChanges,
  lockContactChanges,
  takeContactChanges,
} from '../../../storage/contacts';
import { forgetOldEdges, sweepDeadEdges } from '../../../storage/edges';
import { forgetOldSources } from '../../../storage/known-sources';
import type { ExtensionName } from '../../port';
import { toRegistration, toRegistrationEvent } from './contact-change';

const BATCH = 200;
const SWEEP_MS = 2_000;
const FORGET_MS = 600_000;
/** Edges sign in twice a second. */
const DEAD_AFTER_SECONDS = 15;

export interface RegistrationsOptions {
  database: Database;
  log: Logger;
  /** Runs in the transaction that removes the change: its writes happen exactly once. */
  onRegistration: (event: RegistrationEvent, tx: Transaction) => Promise<void>;
  pollMs?: number;
  /** An edge that has not signed in for so long is dead. Default: 15. */
  deadAfterSeconds?: number;
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
 * Follows the registrations of softphones. The SIP edges write them into sip.contacts, and a trigger there notes every change. This reads
 * the notes, and removes what has expired and what was connected to an edge that is dead.
 */
export function createRegistrations(options: RegistrationsOptions): Registrations {
  const { database, log, onRegistration, pollMs = 200, deadAfterSeconds = DEAD_AFTER_SECONDS } = options;

  /** Returns how many changes there were. */
  const publishChanges = async (): Promise<number> => {
    if (!(await hasContactChanges(database))) return 0;
    return database.transaction(async (tx) => {
      if (!(await lockContactChanges(tx))) return 0;
      const changes = await takeContactChanges(tx, BATCH);
      for (const change of changes) {
        const event = toRegistrationEvent(change);
        if (event) await onRegistration(event, tx);
      }
      return changes.length;
    });
  };

  const sweep = async (): Promise<void> => {
    await deleteExpiredContacts(database);
    await sweepDeadEdges(database, deadAfterSeconds);
  };
  const forget = async (): Promise<void> => {
    await forgetOldSources(database);
    await forgetOldEdges(database);
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
  const forgetting = createPeriodicWork({ name: 'old edges and addresses', everyMs: FORGET_MS, work: forget, log });

  return {
    start() {
      following.start();
      sweeping.start();
      forgetting.start();
    },
    async stop() {
      await Promise.all([following.stop(), sweeping.stop(), forgetting.stop()]);
    },
    isRegistered: (extension) => hasContact(database, endpointOf(extension)),
    async find(extension) {
      const contact = await findContact(database, endpointOf(extension));
      return contact && toRegistration(contact);
    },
    throwOut: (extension) => deleteContacts(database, endpointOf(extension)),
  };
}

const endpointOf = ({ domain, ramal }: ExtensionName): string => `${ramal}@${domain}`;
