import type { Database } from '@sabia/service-kit/postgres/database';
import { linksPerHour, mintOneTimeToken } from '../domain/one-time-token';
import { findAccount } from '../storage/accounts';
import { lockMailReader } from '../storage/mail-readers';
import type { MailReader } from '../storage/mail-readers';
import { isStillWanted, purposeOf, templatesOf } from '../storage/mails';
import type { Mail } from '../storage/mails';
import { countRequestedLinks, insertOneTimeToken } from '../storage/one-time-tokens';
import { findUserById } from '../storage/users';
import { layOutHtml, layOutText } from './layout';
import type { Letter } from './letter';
import { letters } from './letters';
import type { Links } from './links';
import type { OutgoingMail } from './sender';

export interface PreparedMail {
  outgoing: OutgoingMail;
  /** Hash of the link's token, to withdraw the link when the mail could not be sent. */
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
 * Returns undefined when there is nothing to send: no user has the address, it is confirmed already (or, for a reset, is not), the
 * mail was withdrawn, or too many were asked for. A mail that was tried before is no new request: it was let through then.
 */
export async function prepareMail(
  mail: Mail,
  { database, links, now }: Preparation,
): Promise<PreparedMail | undefined> {
  const purpose = purposeOf[mail.template];
  if (purpose === undefined) {
    return prepareNotice(mail, database, links);
  }
  const at = now();
  return database.transaction(async (tx) => {
    const reader = await lockMailReader(tx, purpose, mail);
    // Checked after the user is locked, because changes of the user withdraw mails.
    if (reader === undefined || !(await isStillWanted(tx, mail.id))) {
      return undefined;
    }
    const { address } = mail;
    const since = new Date(at.getTime() - hourMs);
    if (mail.attempts === 1) {
      const sent = { address, userId: reader.id, purpose, templates: templatesOf(purpose) };
      const { ofUser, ofAddress } = await countRequestedLinks(tx, sent, since);
      if (ofUser >= linksPerHour.ofUser || ofAddress >= linksPerHour.ofAddress) {
        return undefined;
      }
    }
    const { token, row } = mintOneTimeToken(purpose, at);
    await insertOneTimeToken(tx, row, { id: reader.id, email: address }, mail.id);
    return { outgoing: compose(mail, write(mail, reader, links, token)), tokenHash: row.hash };
  });
}

function write({ template, address }: Mail, reader: MailReader, links: Links, token: string): Letter {
  const recipient = { name: reader.name, domain: reader.domain, email: address };
  const own = letters[reader.language];
  switch (template) {
    case 'reset-password':
      return own.resetPassword(recipient, links.resetPassword(token));
    case 'email-change-requested':
      return own.emailChangeRequested(recipient, links.undoEmailChange(token));
    case 'email-changed':
      return own.emailChanged(recipient, links.undoEmailChange(token));
    default: {
      const newUser = reader.accountActive ? own.confirmUser : own.confirmAccount;
      return (reader.pendingEmail === address ? own.confirmChange : newUser)(recipient, links.confirm(token));
    }
  }
}

async function prepareNotice(mail: Mail, database: Database, links: Links): Promise<PreparedMail | undefined> {
  const user = mail.userId === undefined ? undefined : await findUserById(database, mail.userId);
  const account = user && (await findAccount(database, user.accountId));
  if (user === undefined || account === undefined) {
    return undefined;
  }
  const recipient = { name: user.name, domain: account.domain };
  const own = letters[account.language];
  const letter =
    mail.template === 'webhook-disabled'
      ? own.webhookDisabled(recipient, mail.details, links.webhooks)
      : own.emailChangedByAdmin(recipient);
  return { outgoing: compose(mail, letter) };
}

const compose = (mail: Mail, letter: Letter): OutgoingMail => ({
  id: mail.uuid,
  to: mail.address,
  subject: letter.subject,
  text: layOutText(letter),
  html: layOutHtml(letter),
});
