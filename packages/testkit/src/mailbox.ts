import type { Mail } from '@sabia/embedded/mailbox/store';
import { request } from 'undici';
import { eventually } from './eventually';

export interface Mailbox {
  /** Newest first. */
  mails(): Promise<Mail[]>;
  /** Waits for a mail to this address that satisfies the condition; returns the newest. */
  waitForMail(to: string, fits?: (mail: Mail) => boolean): Promise<Mail>;
}

export function createMailbox(mailboxUrl: string): Mailbox {
  const mails = async (): Promise<Mail[]> => {
    const answer = await request(mailboxUrl, { headers: { accept: 'application/json' } });
    return (await answer.body.json()) as Mail[];
  };
  return {
    mails,
    waitForMail: (to, fits = () => true) =>
      eventually(async () => (await mails()).find((mail) => mail.to.split(', ').includes(to) && fits(mail))),
  };
}

/** The first link of a mail whose URL contains these words. */
export function linkIn(mail: Mail, words: string): string {
  const links = mail.text.match(/https?:\/\/[^\s<>"]+/g) ?? [];
  const link = links.find((each) => each.includes(words));
  if (!link) throw new Error(`no link with "${words}" in the mail:\n${mail.text}`);
  return link;
}
