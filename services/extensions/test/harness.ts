import { randomBytes, randomUUID } from 'node:crypto';
import { Caller, Role } from '@sabia/protos/sabia/api/v1/caller';
import type { CreateExtensionRequest, Extension } from '@sabia/protos/sabia/extensions/v1/messages';
import { ExtensionsServiceService } from '@sabia/protos/sabia/extensions/v1/service';
import { createGrpcClient } from '@sabia/service-kit/grpc/client';
import type { ClientOf } from '@sabia/service-kit/grpc/client';
import { createLogger } from '@sabia/service-kit/logging';
import type { Logger } from '@sabia/service-kit/logging';
import { createDatabase } from '@sabia/service-kit/postgres/database';
import type { Database } from '@sabia/service-kit/postgres/database';
import { createTestDatabase } from '@sabia/testkit/database';
import type { TestDatabase } from '@sabia/testkit/database';
import { patient } from '@sabia/testkit/patient';
import { testServers } from '@sabia/testkit/servers';
import type { IceConfig } from '../src/domain/ice-servers';
import type { SipServer } from '../src/domain/sip-servers';
import type { SenhaKey } from '../src/domain/senha-vault';
import { createService } from '../src/service';

export const testKey = (id: string): SenhaKey => ({ id, bytes: randomBytes(32) });

export type Extensions = ClientOf<ExtensionsServiceService>;

export interface RunningExtensions {
  /** The rpcs as this caller makes them; undefined: as a service without a caller. */
  as(caller: Caller | undefined, idempotencyKey?: string, onReplayed?: () => void): Extensions;
  /** Everything that was logged, as one text. */
  logged(): string;
  stop(): Promise<void>;
}

export interface StartOptions {
  keys?: SenhaKey[];
  /**
   * False unless said: the service works without NATS, and the consumer has one name for all that run, so that only one test
   * file may let it consume.
   */
  withNats?: boolean;
  ice?: IceConfig;
  sipServers?: SipServer[];
  now?: () => Date;
  elapsed?: () => number;
}

export interface Home {
  database: TestDatabase;
  /** Under the role of the service. */
  sql: Database;
  /** Under the superuser. */
  admin: Database;
  start(options?: StartOptions): Promise<RunningExtensions>;
  close(): Promise<void>;
}

const silent = createLogger({ name: 'test', level: 'silent' });

/** A database of its own, and the service on it as often as one likes. */
export async function openHome(): Promise<Home> {
  const database = await createTestDatabase('extensions');
  const open = (url: string): Database =>
    createDatabase({ ...patient, url, applicationName: 'test', poolSize: 4, log: silent });
  const sql = open(database.url);
  const admin = open(database.adminUrl);
  const defaultKeys = [testKey('test')];

  return {
    database,
    sql,
    admin,
    start: ({ keys = defaultKeys, withNats = false, ...others } = {}) =>
      startService(database.url, keys, withNats ? testServers().natsUrl : 'nats://127.0.0.1:1', others),
    async close() {
      await Promise.all([sql.close(), admin.close()]);
      await database.drop();
    },
  };
}

const noIceServers: IceConfig = { servers: [], credentialSeconds: 3_600 };

async function startService(
  databaseUrl: string,
  senhaKeys: SenhaKey[],
  natsUrl: string,
  { ice = noIceServers, sipServers = [], now, elapsed }: Pick<StartOptions, 'ice' | 'sipServers' | 'now' | 'elapsed'>,
): Promise<RunningExtensions> {
  const lines: string[] = [];
  const log: Logger = createLogger({
    name: 'extensions',
    level: 'trace',
    destination: { write: (line: string) => void lines.push(line) },
  });
  const service = createService(
    {
      chassis: {
        databaseUrl,
        natsUrl,
        grpcHost: '127.0.0.1',
        grpcPort: 0,
        metricsPort: 0,
        logLevel: 'trace',
        databasePoolSize: 10,
        maxConnectionAgeMs: 30_000,
        shutdownTimeoutMs: 60_000,
        outboxPollMs: 50,
      },
      senhaKeys,
      phoneCountry: 'BR',
      ice,
      sipServers,
    },
    { log, now, elapsed },
  );
  const { grpcPort } = await service.start();
  const client = createGrpcClient(ExtensionsServiceService, {
    address: `127.0.0.1:${grpcPort}`,
    defaultTimeoutMs: 60_000,
  });

  return {
    as: (caller, idempotencyKey, onReplayed) => speakingFor(client, { caller, idempotencyKey }, onReplayed),
    logged: () => lines.join(''),
    async stop() {
      client.close();
      await service.stop();
    },
  };
}

function speakingFor(
  client: Extensions,
  speaker: { caller?: Caller; idempotencyKey?: string },
  onReplayed?: () => void,
): Extensions {
  const scope = () => ({ requestId: randomUUID(), signal: new AbortController().signal, ...speaker });
  const calls = Object.keys(ExtensionsServiceService).map((name) => {
    const rpc = client[name as keyof Extensions] as (request: unknown, options: object) => Promise<unknown>;
    return [name, (request: unknown) => rpc(request, { scope: scope(), onReplayed })];
  });
  return Object.fromEntries(calls) as Extensions;
}

let accounts = 0;

/** Accounts of this test file alone, with an ADMIN and two USERs. */
export function newAccount() {
  accounts += 1;
  const accountId = 100_000 + accounts;
  const domain = `conta-${randomBytes(4).toString('hex')}.sabia.localhost`;
  const member = (role: Role, email: string): Caller =>
    Caller.fromPartial({
      accountId,
      accountUuid: randomUUID(),
      domain,
      timeZone: 'America/Sao_Paulo',
      userId: accountId,
      userUuid: randomUUID(),
      email,
      role,
    });
  return {
    accountId,
    domain,
    admin: member(Role.ADMIN, 'chefe@example.com'),
    ana: member(Role.USER, 'ana@example.com'),
    bob: member(Role.USER, 'bob@example.com'),
  };
}

export const goodFields = {
  senha: 'segredo-numero-1',
  first_name: 'Ana',
  last_name: 'Souza',
  email_address: 'ana@example.com',
} satisfies CreateExtensionRequest;

export async function create(
  extensions: Extensions,
  fields: CreateExtensionRequest & { ramal: string },
): Promise<Extension> {
  const { extension } = await extensions.createExtension({ ...goodFields, ...fields });
  return extension!;
}

export async function createNext(extensions: Extensions, fields: CreateExtensionRequest = {}): Promise<Extension> {
  const { extension } = await extensions.createNextExtension({ ...goodFields, ...fields });
  return extension!;
}
