import type { Say } from './texts';

/** The groups of operations, in the order in which they are shown. */
const tags: Record<string, string> = {
  calls: 'Placing calls, following them, and what is known about them afterwards.',
  recordings: 'The audio of calls.',
  extensions: 'Extensions (ramais): the SIP users of an account, and the softphones that register as them.',
  numbers: 'The numbers that belong to an account, and how it proves one.',
  charges: 'Top-ups of the prepaid credit, payable by card, bank slip (boleto) or PIX.',
  credits: 'The prepaid credit: balance, statement, and what a call costs.',
  'financial account': 'The tax identity (CPF or CNPJ) and the contact data under which the account pays.',
  integrations: 'Webhooks: where they go, what was delivered, and why something was not.',
  events: 'What happens in the account, as it happens.',
  account: 'The account (organization), and signing up for one.',
  users: 'The users of an account and their roles.',
  'access tokens': 'Logging in, and the access tokens of a user.',
  session: 'The session of a person in the browser. API clients do not need it.',
};

const byFirstWord: Record<string, string> = {
  calls: 'calls',
  dialer: 'calls',
  channels: 'calls',
  recordings: 'recordings',
  extensions: 'extensions',
  phone: 'extensions',
  numbers: 'numbers',
  charges: 'charges',
  credits: 'credits',
  rates: 'credits',
  integrations: 'integrations',
  events: 'events',
  account: 'account',
  accounts: 'account',
  users: 'users',
  session: 'session',
};

/** Where the first word of the path does not decide. */
const byPath: readonly [beginning: string, tag: string][] = [
  ['/accounts/financial', 'financial account'],
  ['/users/login', 'access tokens'],
  ['/users/logout', 'access tokens'],
  ['/users/accessTokens', 'access tokens'],
];

/** The tag of a path; one that is not known here has its first word. */
export function tagOf(template: string): string {
  const path = template.replace(/^\/api\/v\d+/, '');
  const word = path.split('/')[1] ?? '';
  return byPath.find(([beginning]) => path.startsWith(beginning))?.[1] ?? byFirstWord[word] ?? word;
}

export const describeTags = (used: ReadonlySet<string>, say: Say): { name: string; description: string }[] =>
  Object.entries(tags)
    .filter(([name]) => used.has(name))
    .map(([name, description]) => ({ name, description: say(description) }));
