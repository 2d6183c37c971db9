import type { Database } from '@sabia/service-kit/postgres/database';
import { linksPerHour, mintOneTimeToken } from '../domain/one-time-token';
import type { Mail } from '../storage/mails';
import { countTokensSince, insertOneTimeToken } from '../storage/one-time-tokens';
import { lockUserByEmail } from '../storage/users';
import { layOutHtml, layOutText } from './layout';
import type { Letter } from './layout';
import { confirmAccount, confirmEmail, resetPassword } from './letters';
import type { Links } from './links';
import type { OutgoingMail } from './sender';

export interface PreparedMail {
  outgoing: OutgoingMail;
  /** Of the link inside, so that it can be withdrawn when the mail could not be sent. */
  tokenHash: Buffer;
}

export interface Preparation {
  database: Database;
  links: Links;
  now: () => Date;
}

const hourMs = 60 * 60 * 1000;

/**
 * The link is minted here, at the last moment, and only its hash is stored: no table and no message ever holds a working link.
 * Answers undefined when there is nothing to send: nobody has the address, it is confirmed already, or too many were asked for.
 */
export async function prepareMail(
  mail: Mail,
  { database, links, now }: Preparation,
): Promise<PreparedMail | undefined> {
  const at = now();
  return database.transaction(async (tx) => {
    const user = await lockUserByEmail(tx, mail.address);
    if (user === undefined || (mail.template === 'confirm-email' && user.emailVerified)) {
      return undefined;
    }
    const sent = await countTokensSince(tx, user.id, mail.template, new Date(at.getTime() - hourMs));
    if (sent >= linksPerHour) {
      return undefined;
    }
    const { token, row } = mintOneTimeToken(mail.template, at);
    await insertOneTimeToken(tx, row, user);

    let letter: Letter;
    if (mail.template === 'reset-password') {
      letter = resetPassword(user, links.resetPassword(token));
    } else {
      letter = (user.accountActive ? confirmEmail : confirmAccount)(user, links.confirm(token));
    }
    const outgoing: OutgoingMail = {
      id: mail.uuid,
      to: mail.address,
      subject: letter.subject,
      text: layOutText(letter),
      html: layOutHtml(letter),
    };
    return { outgoing, tokenHash: row.hash };
  });
}
