import { createWakeup } from '@sabia/service-kit/events/wakeup';
import type { Logger } from '@sabia/service-kit/logging';
import type { Database } from '@sabia/service-kit/postgres/database';
import { claimMails, deleteMail, postponeMail } from '../storage/mails';
import type { Mail } from '../storage/mails';
import { deleteOneTimeToken } from '../storage/one-time-tokens';
import type { Links } from './links';
import { prepareMail } from './prepare';
import { wasSurelyNotSent } from './sender';
import type { MailSender } from './sender';

export interface MailWorker {
  start(): void;
  /** There is something to send; without it the next poll finds it. */
  poke(): void;
  /** Resolves when the mails being sent right now are done. */
  stop(): Promise<void>;
}

export interface MailWorkerOptions {
  database: Database;
  sender: MailSender;
  links: Links;
  log: Logger;
  now: () => Date;
  pollMs?: number;
}

const concurrency = 4;
/** Longer than all time limits of one SMTP conversation together, so that no mail has two workers. */
const leaseMs = 5 * 60 * 1000;
const waitsMs = [1_000, 2_000, 5_000, 10_000, 30_000, 60_000, 120_000, 300_000];
/** RFC 5321, 4.5.4.1: the give-up time needs to be at least four to five days. */
const giveUpAfterMs = 5 * 24 * 60 * 60 * 1000;

/** Sends what stands in the table `mails` until an SMTP server has accepted it. Replicas share the work. */
export function createMailWorker({ database, sender, links, log, now, pollMs = 1_000 }: MailWorkerOptions): MailWorker {
  const wakeup = createWakeup();
  let stopping = false;
  let running: Promise<void> = Promise.resolve();

  async function work(): Promise<void> {
    while (!stopping) {
      const worked = await sendDueMails().catch((error: unknown) => {
        log.warn({ err: error }, 'mails could not be looked after, trying again');
        return 0;
      });
      if (worked === 0 && !stopping) {
        await wakeup.sleep(pollMs);
      }
    }
  }

  async function sendDueMails(): Promise<number> {
    const at = now();
    const mails = await claimMails(database, at, new Date(at.getTime() + leaseMs), concurrency);
    await Promise.all(mails.map(attend));
    return mails.length;
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
      await sender.send(prepared.outgoing);
    } catch (error) {
      if (wasSurelyNotSent(error)) {
        await deleteOneTimeToken(database, prepared.tokenHash);
      }
      await postpone(mail, error);
      return;
    }
    await deleteMail(database, mail.id);
    log.info({ mail: mail.id, template: mail.template, attempts: mail.attempts }, 'mail accepted');
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
      running = work();
    },
    poke: () => wakeup.poke(),
    async stop() {
      stopping = true;
      wakeup.poke();
      await running;
      sender.close();
    },
  };
}
