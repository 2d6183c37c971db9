import { randomBytes } from 'node:crypto';
import type { SignUpRequest } from '@sabia/client';
import { createMailbox, linkIn } from './mailbox';
import { createStackClient, type ApiAnswer, type StackClient } from './stack-client';

export type SignUpBody = Omit<SignUpRequest, 'language'>;

export interface SignedUpUser extends SignUpBody {
  token: string;
  /** A client with the token and its own address. */
  client: StackClient;
}

/** A body that signup accepts, with a new domain and a new e-mail. */
export function signUpBody(overrides: Partial<SignUpBody> = {}): SignUpBody {
  const name = `test-${randomBytes(6).toString('hex')}`;
  return {
    organization_name: `Company ${name}`,
    domain: `${name}.sabia.localhost`,
    email: `${name}@example.com`,
    password: `pass-${name}`,
    phone: '+5511987654321',
    crm: 'Outros',
    user_quantity: '1-5',
    ...overrides,
  };
}

/** Signs up as a person does: signup, mail, link with its form, login. */
export async function signUpUser(
  stack: { gatewayUrl: string; mailboxUrl: string },
  overrides: Partial<SignUpBody> = {},
): Promise<SignedUpUser> {
  const body = signUpBody(overrides);
  const client = createStackClient({ gatewayUrl: stack.gatewayUrl });
  await client.sabia.account.signUp(body);
  const confirmed = await confirm(client, await confirmationLink(stack.mailboxUrl, body.email), body.password);
  if (confirmed.status !== 200)
    throw new Error(`the confirmation link answered ${confirmed.status}: ${confirmed.text}`);
  const { id: token } = await client.sabia.users.logIn({ email: body.email, password: body.password });
  return { ...body, token, client: client.withToken(token) };
}

/** Sends the form behind a confirmation link. */
export function confirm(client: StackClient, link: string, password: string): Promise<ApiAnswer> {
  return client.post('/accounts/confirm', { token: new URL(link).searchParams.get('token'), password });
}

export async function confirmationLink(mailboxUrl: string, email: string): Promise<string> {
  const mail = await createMailbox(mailboxUrl).waitForMail(email, ({ text }) => text.includes('/accounts/confirm'));
  return linkIn(mail, '/accounts/confirm');
}
