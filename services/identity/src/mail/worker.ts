import type { Logger } from '@sabia/service-kit/logging';
import type { Database } from '@sabia/service-kit/postgres/database';
import { createPeriodicWork } from '@sabia/service-kit/work/periodic-work';
import { claimMails, deleteMail, postponeMail, renewLease } from '../storage/mails';
import type { Mail } from '../storage/mails';
import { deleteOneTimeToken } from '../storage/one-time-tokens';
import type { Links } from './links';
import { prepareMail } from './prepare';
import { wasSurelyNotSent } from './sender';
import type { MailSender } from './sender';

export interface MailWorker {
  start(): void;
  /** Sends new mails immediately instead of at the next poll. */
  poke(): void;
  /** Resolves when the mails being sent are done. */
  stop(): Promise<void>;
}

export interface MailWorkerOptions {
  database: Database;
  sender: MailSender;
  links: Links;
  log: Logger;
  now: () => Date;
  pollMs?: number;
  renewMs?: number;
}

const concurrency = 4;
/** Renewed while the SMTP server answers, so that a mail has one worker; short, so that another takes over soon after a crash. */
const leaseMs = 60_000;
const waitsMs = [1_000, 2_000, 5_000, 10_000, 30_000, 60_000, 120_000, 300_000];
/** RFC 5321, 4.5.4.1: the give-up time needs to be at least four to five days. */
const giveUpAfterMs = 5 * 24 * 60 * 60 * 1000;

/** Sends the mails of the table `mails`, retrying until an SMTP server has accepted them. Replicas share the work. */
export function createMailWorker(options: MailWorkerOptions): MailWorker {
  const { database, sender, links, log, now, pollMs = 1_000, renewMs = 15_000 } = options;
  const rounds = createPeriodicWork({ name: 'mails', everyMs: pollMs, work: sendDueMails, log });

  /** True if there were any, as more may be due. */
  async function sendDueMails(): Promise<boolean> {
    const at = now();
    const mails = await claimMails(database, at, new Date(at.getTime() + leaseMs), concurrency);
    await Promise.all(mails.map(attend));
    return mails.length > 0;
  }

  async function attend(mail: Mail): Promise<void> {
    try {
      await sendMail(mail);
    } catch (error) {
      log.warn(
        { err: error, mail: mail.id },
        'the database failed while a mail was being sent; it is due again when its lease ends',
      );
    }
  }

  async function sendMail(mail: Mail): Promise<void> {
    const prepared = await prepareMail(mail, { database, links, now });
    if (prepared === undefined) {
      log.info({ mail: mail.id, template: mail.template }, 'no mail to send');
      await deleteMail(database, mail.id);
      return;
    }
    try {
      await holding(mail, () => sender.send(prepared.outgoing));
    } catch (error) {
      // Before the link is withdrawn, so that the request of this mail is counted at every moment by one of the two.
      await postpone(mail, error);
      if (prepared.tokenHash !== undefined && wasSurelyNotSent(error)) {
        await deleteOneTimeToken(database, prepared.tokenHash);
      }
      return;
    }
    await deleteMail(database, mail.id);
    log.info({ mail: mail.id, template: mail.template, attempts: mail.attempts }, 'mail accepted');
  }

  async function holding(mail: Mail, work: () => Promise<void>): Promise<void> {
    let renewal: Promise<void> = Promise.resolve();
    const timer = setInterval(() => {
      renewal = renewLease(database, mail.id, new Date(now().getTime() + leaseMs)).catch((error: unknown) =>
        log.warn({ err: error, mail: mail.id }, 'the lease of a mail could not be renewed'),
      );
    }, renewMs);
    try {
      await work();
    } finally {
      clearInterval(timer);
      // Awaited, so that it does not overwrite the next update.
      await renewal;
    }
  }

  async function postpone(mail: Mail, error: unknown): Promise<void> {
    const fields = { err: error, mail: mail.id, template: mail.template, attempts: mail.attempts };
    if (now().getTime() - mail.createdAt.getTime() > giveUpAfterMs) {
      log.error(fields, 'mail given up after five days');
      await deleteMail(database, mail.id);
      return;
    }
    const waitMs = waitsMs[Math.min(mail.attempts, waitsMs.length) - 1]!;
    log.warn({ ...fields, waitMs }, 'mail not accepted, trying again');
    const reason = error instanceof Error ? error.message : String(error);
    await postponeMail(database, mail.id, new Date(now().getTime() + waitMs), reason.slice(0, 500));
  }

  return {
    start() {
      rounds.start();
    },
    poke: () => rounds.wake(),
    async stop() {
      await rounds.stop();
      sender.close();
    },
  };
}
