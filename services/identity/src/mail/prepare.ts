import type { Database } from '@sabia/service-kit/postgres/database';
import { linksPerHour, mintOneTimeToken } from '../domain/one-time-token';
import { findAccount } from '../storage/accounts';
import type { Mail } from '../storage/mails';
import { countRequestedLinks, insertOneTimeToken } from '../storage/one-time-tokens';
import { findUserById, lockUserByEmail } from '../storage/users';
import { layOutHtml, layOutText } from './layout';
import type { Letter } from './layout';
import { confirmAccount, confirmEmail, emailChanged, resetPassword, webhookDisabled } from './letters';
import type { Links } from './links';
import type { OutgoingMail } from './sender';

export interface PreparedMail {
  outgoing: OutgoingMail;
  /** Of the link inside, so that it can be withdrawn when the mail could not be sent. */
  tokenHash?: Buffer;
}

export interface Preparation {
  database: Database;
  links: Links;
  now: () => Date;
}

const hourMs = 60 * 60 * 1000;

/**
 * The link is minted here, at the last moment, and only its hash is stored: no table and no message ever holds a working link.
 * Answers undefined when there is nothing to send: nobody has the address, it is confirmed already (or, for a reset, is not), or too
 * many were asked for. A mail that was tried before is no new request: it was let through then.
 */
export async function prepareMail(
  mail: Mail,
  { database, links, now }: Preparation,
): Promise<PreparedMail | undefined> {
  if (mail.template === 'email-changed' || mail.template === 'webhook-disabled') {
    return prepareNotice(mail, database);
  }
  const at = now();
  return database.transaction(async (tx) => {
    const user = await lockUserByEmail(tx, mail.address);
    // A password is reset only through an address that is known to be the user's own.
    if (user === undefined || user.emailVerified !== (mail.template === 'reset-password')) {
      return undefined;
    }
    const since = new Date(at.getTime() - hourMs);
    if (mail.attempts === 1 && (await countRequestedLinks(tx, user, mail.template, since)) >= linksPerHour) {
      return undefined;
    }
    const { token, row } = mintOneTimeToken(mail.template, at);
    await insertOneTimeToken(tx, row, user, mail.id);

    let letter: Letter;
    if (mail.template === 'reset-password') {
      letter = resetPassword(user, links.resetPassword(token));
    } else {
      letter = (user.accountActive ? confirmEmail : confirmAccount)(user, links.confirm(token));
    }
    return { outgoing: compose(mail, letter), tokenHash: row.hash };
  });
}

async function prepareNotice(
  mail: Extract<Mail, { userId: number }>,
  database: Database,
): Promise<PreparedMail | undefined> {
  const user = await findUserById(database, mail.userId);
  const account = user && (await findAccount(database, user.accountId));
  if (user === undefined || account === undefined) {
    return undefined;
  }
  const recipient = { name: user.name, domain: account.domain };
  const letter = mail.template === 'email-changed' ? emailChanged(recipient) : webhookDisabled(recipient, mail.details);
  return { outgoing: compose(mail, letter) };
}

const compose = (mail: Mail, letter: Letter): OutgoingMail => ({
  id: mail.uuid,
  to: mail.address,
  subject: letter.subject,
  text: layOutText(letter),
  html: layOutHtml(letter),
});
