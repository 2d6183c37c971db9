import type { Transaction } from '@sabia/service-kit/postgres/database';
import { lifetimeMs } from '../domain/one-time-token';
import type { User } from '../domain/user';
import { deleteFormerEmails, keepFormerEmail } from '../storage/former-emails';
import { requestMail, withdrawMails } from '../storage/mails';
import { voidOneTimeTokens } from '../storage/one-time-tokens';

/** Voids links to the previous address and requests mails, after the address of a user has changed or a change was requested. */
export async function followEmailChange(
  tx: Transaction,
  before: User,
  user: User,
  { byAnother, now }: { byAnother: boolean; now: Date },
): Promise<void> {
  if (user.pendingEmail !== null && user.pendingEmail !== before.pendingEmail) {
    await voidOneTimeTokens(tx, user.id, 'confirm-email');
    await requestMail(tx, { template: 'confirm-email', address: user.pendingEmail, userId: user.id }, now);
    await requestMail(tx, { template: 'email-change-requested', address: user.email, userId: user.id }, now);
  }
  if (user.email !== before.email) {
    await voidOneTimeTokens(tx, user.id, 'confirm-email');
    await voidOneTimeTokens(tx, user.id, 'reset-password');
    if (!user.emailVerified) {
      await requestMail(tx, { template: 'confirm-email', address: user.email, userId: user.id }, now);
    }
    // An unconfirmed address may belong to a stranger and gets no notice.
    if (before.emailVerified) {
      await leaveAddress(tx, before, { undoable: !byAnother, now });
    }
  }
}

/**
 * Notifies the previous confirmed address of a change, with a link that undoes it: an intruder in a session must not be able to take
 * over the account. A change by an ADMIN cannot be undone: the mailbox may belong to an employee who has left.
 */
export async function leaveAddress(
  tx: Transaction,
  { id, email }: Pick<User, 'id' | 'email'>,
  { undoable, now }: { undoable: boolean; now: Date },
): Promise<void> {
  if (!undoable) {
    await requestMail(tx, { template: 'email-changed-by-admin', address: email, userId: id }, now);
    return;
  }
  await keepFormerEmail(tx, id, email, new Date(now.getTime() + lifetimeMs['undo-email-change']));
  await requestMail(tx, { template: 'email-changed', address: email, userId: id }, now);
}

/** After a change by an ADMIN, earlier changes cannot be undone either: the owner of an old mailbox must not get the user back. */
export async function endUndoing(tx: Transaction, userId: number): Promise<void> {
  await voidOneTimeTokens(tx, userId, 'undo-email-change');
  await withdrawMails(tx, userId, 'undo-email-change');
  await deleteFormerEmails(tx, userId);
}
