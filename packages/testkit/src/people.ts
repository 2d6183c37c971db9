import { randomBytes } from 'node:crypto';
import type { User } from '@sabia/client';
import { signUpUser, type SignUpBody } from './sign-up';
import type { StackClient } from './stack-client';

/** A user who can log in and has done so. */
export interface Person extends User {
  password: string;
  token: string;
  /** A client with the token, each time from an unused address, so that no rate limit is reached. */
  api(): StackClient;
}

/** The first user of a new account. */
export async function createAdmin(
  stack: { gatewayUrl: string; mailboxUrl: string },
  overrides: Partial<SignUpBody> = {},
): Promise<Person & { domain: string; organizationName: string }> {
  const { client, password, domain, organization_name } = await signUpUser(stack, overrides);
  return { ...(await personOf(client, password)), domain, organizationName: organization_name };
}

/** A further user of the ADMIN's account, whose e-mail the ADMIN vouches for. */
export async function createUser(admin: Pick<Person, 'api'>, role: User['role'] = 'USER'): Promise<Person> {
  const body = { ...newUser(), role, emailVerified: true };
  await admin.api().sabia.users.create(body);
  return personOf(await logIn(admin.api(), body.email, body.password), body.password);
}

/** A body that POST /users accepts, with a new e-mail. */
export function newUser(): { name: string; email: string; password: string; phone: string } {
  const name = `user-${randomBytes(6).toString('hex')}`;
  return { name, email: newEmail(), password: `pass-${name}`, phone: '+5511912345678' };
}

export const newEmail = (): string => `mail-${randomBytes(6).toString('hex')}@example.com`;

/** A client with a new token of this user. */
export async function logIn(client: StackClient, email: string, password: string): Promise<StackClient> {
  const { id } = await client.fromAnotherAddress().sabia.users.logIn({ email, password });
  return client.withToken(id);
}

async function personOf(client: StackClient, password: string): Promise<Person> {
  const me = await client.fromAnotherAddress().sabia.users.me();
  return { ...me, password, token: client.token ?? '', api: () => client.fromAnotherAddress() };
}
