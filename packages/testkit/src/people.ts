import { randomBytes } from 'node:crypto';
import { signUpUser, type SignUpBody } from './sign-up';
import type { StackClient } from './stack-client';

/** A user as the API shows it. */
export interface UserRecord {
  id: number;
  uuid: string;
  name: string;
  first_name: string;
  email: string;
  pendingEmail?: string;
  phone: string | null;
  role: 'ADMIN' | 'USER';
  emailVerified: boolean;
  createdAt: string;
  updatedAt: string;
  lastLoginAt: string | null;
}

/** A user who can log in and has done so. */
export interface Person extends UserRecord {
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
export async function createUser(admin: Pick<Person, 'api'>, role: UserRecord['role'] = 'USER'): Promise<Person> {
  const body = { ...newUser(), role, emailVerified: true };
  const created = await admin.api().post('/users', body);
  if (created.status !== 200) throw new Error(`creating a user answered ${created.status}: ${created.text}`);
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
  const login = await client.fromAnotherAddress().post<{ id: string }>('/users/login', { email, password });
  if (login.status !== 200) throw new Error(`login answered ${login.status}: ${login.text}`);
  return client.withToken(login.body.id);
}

async function personOf(client: StackClient, password: string): Promise<Person> {
  const me = await client.fromAnotherAddress().get<UserRecord>('/users/me');
  if (me.status !== 200) throw new Error(`GET /users/me answered ${me.status}: ${me.text}`);
  return { ...me.body, password, token: client.token ?? '', api: () => client.fromAnotherAddress() };
}
