import type { DisabledWebhook } from '../domain/disabled-webhook';
import type { Letter } from './layout';

export interface Recipient {
  name: string;
  email: string;
  domain: string;
}

export function confirmAccount({ domain }: Recipient, link: string): Letter {
  return {
    subject: 'Confirm your e-mail address to activate your Sabiá account',
    preview: `One step and ${domain} is ready to make calls.`,
    heading: 'Welcome to Sabiá',
    paragraphs: [
      `Thank you for signing up. Your account ${domain} is almost ready.`,
      'Please confirm that this e-mail address is yours and enter your password. Your account becomes active at once.',
    ],
    button: { label: 'Activate my account', link },
    notes: [
      'The link works once and for 48 hours.',
      'If you did not sign up, ignore this e-mail: without the confirmation the account cannot be used, and it is deleted after a week.',
    ],
  };
}

export function confirmUser({ name, domain }: Recipient, link: string): Letter {
  return {
    subject: 'Confirm your e-mail address',
    preview: `Please confirm that this address is yours, and choose your password.`,
    heading: 'Confirm your e-mail address',
    paragraphs: [
      `Hello ${name},`,
      `this address was entered for a user of ${domain}. Please confirm that it is yours and choose your password; after that you can log in.`,
    ],
    button: { label: 'Confirm my address', link },
    notes: ['The link works once and for 48 hours.', 'If this means nothing to you, ignore this e-mail.'],
  };
}

/** Names the address but not the user, because the owner of the mailbox is unknown. */
export function confirmChange({ email, domain }: Recipient, link: string): Letter {
  return {
    subject: 'Confirm your e-mail address',
    preview: `Please confirm that ${email} is your new address.`,
    heading: 'Confirm your new e-mail address',
    paragraphs: [
      `A user of ${domain} wants to have this e-mail address from now on.`,
      'If that is you, please confirm it with your password. Until then nothing changes.',
    ],
    button: { label: 'Confirm my address', link },
    notes: ['The link works once and for 48 hours.', 'If this means nothing to you, ignore this e-mail.'],
  };
}

export function resetPassword({ name, email }: Recipient, link: string): Letter {
  return {
    subject: 'Reset your Sabiá password',
    preview: 'Choose a new password. The link works for one hour.',
    heading: 'Choose a new password',
    paragraphs: [`Hello ${name},`, `somebody, probably you, asked to reset the password of ${email}.`],
    button: { label: 'Choose a new password', link },
    notes: [
      'The link works once and for one hour. All devices will be logged out.',
      'If it was not you, ignore this e-mail: your password stays as it is.',
    ],
  };
}

const undoNotes = [
  'The link works for seven days. It also logs out all devices.',
  'If it was you, you need not do anything.',
];

/** To the address in force; the new address is not named, because its owner is not known. */
export function emailChangeRequested({ name, domain }: Pick<Recipient, 'name' | 'domain'>, link: string): Letter {
  return {
    subject: 'Your e-mail address at Sabiá is about to change',
    preview: `Your user of ${domain} shall have another e-mail address.`,
    heading: 'Your e-mail address is about to change',
    paragraphs: [
      `Hello ${name},`,
      `your user of ${domain} shall have another e-mail address. It takes effect when the new one is confirmed; until then this one stays in force.`,
      'If it was not you, stop it and choose a new password:',
    ],
    button: { label: 'This was not me', link },
    notes: undoNotes,
  };
}

/** To the previous address; does not name the new one. */
export function emailChanged({ name, domain }: Pick<Recipient, 'name' | 'domain'>, link: string): Letter {
  return {
    subject: 'Your e-mail address at Sabiá was changed',
    preview: `This address no longer belongs to a user of ${domain}.`,
    heading: 'Your e-mail address was changed',
    paragraphs: [
      `Hello ${name},`,
      `your user of ${domain} has another e-mail address now. You can no longer log in or reset your password with this one.`,
      'If it was not you, take it back and choose a new password:',
    ],
    button: { label: 'Undo the change', link },
    notes: undoNotes,
  };
}

export function emailChangedByAdmin({ name, domain }: Pick<Recipient, 'name' | 'domain'>): Letter {
  return {
    subject: 'Your e-mail address at Sabiá was changed',
    preview: `This address no longer belongs to a user of ${domain}.`,
    heading: 'Your e-mail address was changed',
    paragraphs: [
      `Hello ${name},`,
      `an administrator of ${domain} gave your user another e-mail address. You can no longer log in or reset your password with this one.`,
    ],
    notes: ['If this is wrong, ask an administrator of your account to put it back.'],
  };
}

/** Names no URL, because URLs of webhooks often contain secrets. */
export function webhookDisabled(
  { name, domain }: Pick<Recipient, 'name' | 'domain'>,
  webhook: DisabledWebhook,
): Letter {
  const { integrationId, gateway, reason } = webhook;
  return {
    subject: `Your webhook "${gateway}" was disabled`,
    preview: `${domain}: nothing is sent to "${gateway}" any more.`,
    heading: 'Your webhook was disabled',
    paragraphs: [
      `Hello ${name},`,
      `the webhook of the integration "${gateway}" (id ${integrationId}) of ${domain} was disabled, and nothing is sent to it any more.`,
      `The reason: ${reason}`,
      `To enable it again, make sure that the receiver answers with a status of 2xx and send PATCH /integrations with {"id": ${integrationId}, "webhook": true}. POST /integrations/${integrationId}/test shows whether it works, already before that.`,
      `Nothing is lost: POST /integrations/${integrationId}/replay then sends again what could not be delivered in the last 30 days, and GET /integrations/${integrationId}/deliveries shows every attempt. Events that came after the webhook was disabled are not sent later; they are listed there for a day.`,
    ],
    notes: ['If you no longer need this webhook, you need not do anything.'],
  };
}
