import type { Letters } from './letter';

const language = 'en';

const confirmNotes = ['The link works once and for 48 hours.', 'If this means nothing to you, ignore this e-mail.'];

const undoNotes = [
  'The link works for seven days. It also logs out all devices.',
  'If it was you, you need not do anything.',
];

export const english: Letters = {
  confirmAccount: ({ domain }, link) => ({
    language,
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
  }),

  confirmUser: ({ name, domain }, link) => ({
    language,
    subject: 'Confirm your e-mail address',
    preview: 'Please confirm that this address is yours, and choose your password.',
    heading: 'Confirm your e-mail address',
    paragraphs: [
      `Hello ${name},`,
      `this address was entered for a user of ${domain}. Please confirm that it is yours and choose your password; after that you can log in.`,
    ],
    button: { label: 'Confirm my address', link },
    notes: confirmNotes,
  }),

  confirmChange: ({ email, domain }, link) => ({
    language,
    subject: 'Confirm your e-mail address',
    preview: `Please confirm that ${email} is your new address.`,
    heading: 'Confirm your new e-mail address',
    paragraphs: [
      `A user of ${domain} wants to have this e-mail address from now on.`,
      'If that is you, please confirm it with your password. Until then nothing changes.',
    ],
    button: { label: 'Confirm my address', link },
    notes: confirmNotes,
  }),

  resetPassword: ({ name, email }, link) => ({
    language,
    subject: 'Reset your Sabiá password',
    preview: 'Choose a new password. The link works for one hour.',
    heading: 'Choose a new password',
    paragraphs: [`Hello ${name},`, `somebody, probably you, asked to reset the password of ${email}.`],
    button: { label: 'Choose a new password', link },
    notes: [
      'The link works once and for one hour. All devices will be logged out.',
      'If it was not you, ignore this e-mail: your password stays as it is.',
    ],
  }),

  emailChangeRequested: ({ name, domain }, link) => ({
    language,
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
  }),

  emailChanged: ({ name, domain }, link) => ({
    language,
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
  }),

  emailChangedByAdmin: ({ name, domain }) => ({
    language,
    subject: 'Your e-mail address at Sabiá was changed',
    preview: `This address no longer belongs to a user of ${domain}.`,
    heading: 'Your e-mail address was changed',
    paragraphs: [
      `Hello ${name},`,
      `an administrator of ${domain} gave your user another e-mail address. You can no longer log in or reset your password with this one.`,
    ],
    notes: ['If this is wrong, ask an administrator of your account to put it back.'],
  }),

  webhookDisabled: ({ name, domain }, { integrationId, gateway, reason }, link) => ({
    language,
    subject: `Your webhook "${gateway}" was disabled`,
    preview: `${domain}: nothing is sent to "${gateway}" any more.`,
    heading: 'Your webhook was disabled',
    paragraphs: [
      `Hello ${name},`,
      `the webhook of the integration "${gateway}" (number ${integrationId}) of ${domain} was disabled, and nothing is sent to it any more.`,
      `The reason: ${reason}`,
      'In the console you see every attempt, can send a test, and enable the webhook again once its receiver answers with success.',
      'Nothing is lost: what could not be delivered in the last 30 days can be sent again from there. Events that came after the webhook was disabled are not sent later; they are listed there for a day.',
    ],
    button: { label: 'Open the webhooks', link },
    notes: ['If you no longer need this webhook, you need not do anything.'],
  }),
};
