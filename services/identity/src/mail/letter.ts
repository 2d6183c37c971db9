import type { Language } from '@sabia/service-kit/brand/language';
import type { DisabledWebhook } from '../domain/disabled-webhook';

export interface Letter {
  language: Language;
  subject: string;
  /** The preview line that mail clients show beside the subject. */
  preview: string;
  heading: string;
  paragraphs: string[];
  button?: { label: string; link: string };
  /** Small print at the end. */
  notes: string[];
}

export interface Recipient {
  name: string;
  email: string;
  domain: string;
}

/** A user who is told something at whatever address. */
export type User = Pick<Recipient, 'name' | 'domain'>;

/** Every mail, in one language. */
export interface Letters {
  confirmAccount(recipient: Recipient, link: string): Letter;
  confirmUser(recipient: Recipient, link: string): Letter;
  /** Names the address but not the user, because the owner of the mailbox is unknown. */
  confirmChange(recipient: Recipient, link: string): Letter;
  resetPassword(recipient: Recipient, link: string): Letter;
  /** To the address in force; the new address is not named, because its owner is not known. */
  emailChangeRequested(user: User, link: string): Letter;
  /** To the previous address; does not name the new one. */
  emailChanged(user: User, link: string): Letter;
  emailChangedByAdmin(user: User): Letter;
  /** Names no URL of the receiver, because such URLs often contain secrets. */
  webhookDisabled(user: User, webhook: DisabledWebhook, link: string): Letter;
}
