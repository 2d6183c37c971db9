import { randomUUID } from 'node:crypto';
import type { Caller } from '@sabia/protos/sabia/api/v1/caller';
import { LoginRequest, SignUpRequest, TokenState, UpdateUserRequest } from '@sabia/protos/sabia/identity/v1/messages';
import { IdentityServiceService } from '@sabia/protos/sabia/identity/v1/service';
import type { Service } from '@sabia/service-kit/chassis';
import type { ServiceError } from '@sabia/service-kit/errors';
import { createGrpcClient } from '@sabia/service-kit/grpc/client';
import { createLogger } from '@sabia/service-kit/logging';
import { createDatabase } from '@sabia/service-kit/postgres/database';
import type { RequestScope } from '@sabia/service-kit/request-scope';
import { createTestDatabase } from '@sabia/testkit/database';
import { eventually } from '@sabia/testkit/eventually';
import { patient } from '@sabia/testkit/patient';
import { testServers } from '@sabia/testkit/servers';
import { loadConfig } from '../src/config';
import { hashToken } from '../src/domain/access-token';
import { createService } from '../src/service';
import { startMailCatcher } from './mail-catcher';

export const password = 'correct horse battery';

export interface Person {
  email: string;
  token: string;
  caller: Caller;
}

/** The real service on a database of its own, with an SMTP server to catch its mails. Time can be moved forwards. */
export async function startIdentity(env: NodeJS.ProcessEnv = {}, elapsed?: () => number) {
  const testDatabase = await createTestDatabase('identity');
  const catcher = await startMailCatcher();
  const clock = { offsetMs: 0 };
  const config = loadConfig({
    DATABASE_URL: testDatabase.url,
    NATS_URL: testServers().natsUrl,
    GRPC_HOST: '127.0.0.1',
    LOG_LEVEL: 'fatal',
    PUBLIC_URL: 'http://gateway.test',
    SMTP_URL: catcher.url,
    ...env,
  });
  // Real argon2id at a price that lets hundreds of logins pass.
  const hashParameters = { memoryKiB: 256, passes: 1, lanes: 1 };
  const service: Service = createService(config, {
    now: () => new Date(Date.now() + clock.offsetMs),
    elapsed,
    hashParameters,
  });
  const { grpcPort } = await service.start();
  const client = createGrpcClient(IdentityServiceService, {
    address: `127.0.0.1:${grpcPort}`,
    defaultTimeoutMs: 60_000,
  });
  const log = createLogger({ name: 'test', level: 'silent' });
  const database = createDatabase({ ...patient, url: testDatabase.url, applicationName: 'test', poolSize: 2, log });

  /** The scope of a request made by this person. */
  const as = (person: Pick<Person, 'caller'>): { scope: RequestScope } => ({
    scope: { requestId: randomUUID(), signal: new AbortController().signal, caller: person.caller },
  });
  const from = (clientIp: string): { scope: RequestScope } => ({
    scope: { requestId: randomUUID(), signal: new AbortController().signal, clientIp },
  });

  const authenticate = (token: string) => client.authenticate({ tokenHash: hashToken(token) });

  async function login(email: string, withPassword = password): Promise<Person> {
    const { id } = await client.login(LoginRequest.fromPartial({ email, password: withPassword }));
    const { state, caller } = await authenticate(id);
    expect(state).toBe(TokenState.LIVE);
    return { email, token: id, caller: caller! };
  }

  /** The token in the link of the newest mail, once there are so many of them. */
  async function linkToken(email: string, count = 1): Promise<string> {
    const mail = await eventually(() => catcher.to(email)[count - 1]);
    return /[?&]token=([\w-]+)/.exec(mail.text)![1]!;
  }

  async function createAccount(): Promise<Person> {
    const request = newSignUp();
    await client.signUp(request);
    await client.confirmEmail({ token: await linkToken(request.email!), password });
    return login(request.email!);
  }

  async function createUser(admin: Person, role: 'ADMIN' | 'USER' = 'USER'): Promise<Person> {
    const email = newEmail();
    await client.createUser(
      { name: 'Someone', email, password, role: role === 'ADMIN' ? 1 : 2, emailVerified: true, phone: undefined },
      as(admin),
    );
    return login(email);
  }

  return {
    client,
    catcher,
    clock,
    database,
    databaseUrl: testDatabase.url,
    service,
    as,
    from,
    authenticate,
    login,
    linkToken,
    createAccount,
    createUser,
    update: (person: Person, change: Partial<UpdateUserRequest>) =>
      client.updateUser(UpdateUserRequest.fromPartial(change), as(person)),
    async stop() {
      client.close();
      await service.stop();
      await database.close();
      await catcher.stop();
      await testDatabase.drop();
    },
  };
}

export type Identity = Awaited<ReturnType<typeof startIdentity>>;

let serial = 0;
export const newEmail = (): string => `person-${(serial += 1)}-${randomUUID().slice(0, 8)}@example.com`;

export function newSignUp(changes: Partial<SignUpRequest> = {}): SignUpRequest {
  return SignUpRequest.fromPartial({
    organization_name: 'Padaria Central',
    domain: `padaria-${randomUUID().slice(0, 8)}.sabia.localhost`,
    email: newEmail(),
    password,
    phone: '+55 11 98888-7777',
    crm: 'HubSpot',
    user_quantity: '1-5',
    ...changes,
  });
}

/** How a call failed; fails itself when the call succeeded. */
export async function refusal(call: Promise<unknown>): Promise<ServiceError> {
  try {
    await call;
  } catch (error) {
    return error as ServiceError;
  }
  throw new Error('the call was expected to fail');
}

export const codesOf = (error: ServiceError): Record<string, string> =>
  Object.fromEntries(error.violations.map(({ field, code }) => [field, code]));
