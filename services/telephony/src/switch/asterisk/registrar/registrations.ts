import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from '@sabia/service-kit/logging';
import type { Database, Transaction } from '@sabia/service-kit/postgres/database';
import type { RegistrationEvent } from '../../../domain/registration-event';
import { forgetOldSources, rememberSource } from '../../../storage/known-sources';
import type { AriClient } from '../ari-client';
import { addressOf, toRegistrationEvent, type ContactChange } from './contact-change';

const BATCH = 200;
/** One follower at a time, whatever the number of replicas: so the order of the changes is the order of the events. */
const FOLLOWER_LOCK = 'sip.contact_changes';
const SWEEP_MS = 30_000;
/** Asterisk removes what has expired within ten seconds; what stays longer was left behind by one that is gone. */
const ABANDONED_AFTER_SECONDS = 60;

export interface RegistrationsOptions {
  database: Database;
  ari: Pick<AriClient, 'deleteObject'>;
  log: Logger;
  /** In the transaction that takes the change away: what is written with it happens once, or not yet. */
  onRegistration: (event: RegistrationEvent, tx: Transaction) => Promise<void>;
  pollMs?: number;
}

export interface Registrations {
  start(): void;
  stop(): Promise<void>;
  /** What is true now, whether or not it has been told yet. */
  isRegistered(extension: { domain: string; ramal: string }): Promise<boolean>;
  /** Removes the softphone of an extension that is deleted, renumbered or has a new password. */
  throwOut(extension: { domain: string; ramal: string }): Promise<void>;
}

/**
 * Which softphones come and go. Asterisk writes its contacts into sip.ps_contacts as part of each registration, and a trigger
 * there notes the change (see deploy/asterisk/README.md for why ARI's events will not do). This follows the notes.
 */
export function createRegistrations(options: RegistrationsOptions): Registrations {
  const { database, ari, log, onRegistration, pollMs = 200 } = options;
  const stopping = new AbortController();
  let loop: Promise<void> | undefined;

  const takeBatch = async (): Promise<number> => {
    const pending = await database.query('SELECT FROM sip.contact_changes LIMIT 1', [], { name: 'pending-changes' });
    if (pending.length === 0) return 0;
    return database.transaction(async (tx) => {
      const [lock] = await tx.query<{ mine: boolean }>(
        'SELECT pg_try_advisory_xact_lock(hashtextextended($1, 0)) AS mine',
        [FOLLOWER_LOCK],
      );
      if (!lock?.mine) return 0;
      const rows = await tx.query<ContactChange>(
        `WITH taken AS (
           DELETE FROM sip.contact_changes WHERE id IN (SELECT id FROM sip.contact_changes ORDER BY id LIMIT ${BATCH})
           RETURNING id, happened_at, change, endpoint, uri, user_agent, others
         )
         SELECT * FROM taken ORDER BY id`,
      );
      for (const row of rows) {
        const address = addressOf(row.uri);
        if (address !== undefined) await rememberSource(tx, { endpoint: row.endpoint, address });
        const event = toRegistrationEvent(row);
        if (event) await onRegistration(event, tx);
      }
      return rows.length;
    });
  };

  const sweep = async (): Promise<void> => {
    await database.query('DELETE FROM sip.ps_contacts WHERE expiration_time < extract(epoch FROM now()) - $1::int', [
      ABANDONED_AFTER_SECONDS,
    ]);
    await forgetOldSources(database);
  };

  const follow = async (): Promise<void> => {
    let sweptAt = -Infinity;
    let failed = false;
    while (!stopping.signal.aborted) {
      let taken = 0;
      try {
        if (performance.now() - sweptAt > SWEEP_MS) {
          await sweep();
          sweptAt = performance.now();
        }
        taken = await takeBatch();
        failed = false;
      } catch (error) {
        // The changes stay where they are; once is enough to tell of an outage.
        if (!failed) log.warn({ err: error }, 'registrations of softphones cannot be followed just now');
        failed = true;
      }
      if (taken < BATCH)
        await delay(failed ? 1_000 : pollMs, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  };

  return {
    start() {
      loop ??= follow();
    },
    async stop() {
      stopping.abort();
      await loop;
    },
    async isRegistered({ domain, ramal }) {
      const rows = await database.query(
        'SELECT FROM sip.ps_contacts WHERE endpoint = $1 AND expiration_time > extract(epoch FROM now()) LIMIT 1',
        [`${ramal}@${domain}`],
        { name: 'is-registered' },
      );
      return rows.length > 0;
    },
    async throwOut({ domain, ramal }) {
      const contacts = await database.query<{ id: string }>('SELECT id FROM sip.ps_contacts WHERE endpoint = $1', [
        `${ramal}@${domain}`,
      ]);
      for (const { id } of contacts) await ari.deleteObject('contact', id.replaceAll('^3B', ';'));
    },
  };
}
