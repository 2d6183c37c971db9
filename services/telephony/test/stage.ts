import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Caller, Role } from '@sabia/protos/sabia/api/v1/caller';
import { CallMoney } from '@sabia/protos/sabia/billing/v1/messages';
import { BillingServiceService } from '@sabia/protos/sabia/billing/v1/service';
import { ResolveExtensionResponse } from '@sabia/protos/sabia/extensions/v1/messages';
import {
  FindNumberProofResponse,
  NumberProofOutcome,
  NumberProofVerdict,
  OpenNumberProofResponse,
} from '@sabia/protos/sabia/extensions/v1/numbers';
import { ExtensionsServiceService } from '@sabia/protos/sabia/extensions/v1/service';
import { CallEnded } from '@sabia/protos/sabia/telephony/v1/events';
import type { CallSnapshot } from '@sabia/protos/sabia/telephony/v1/events';
import type { Call } from '@sabia/protos/sabia/telephony/v1/messages';
import { TelephonyServiceService } from '@sabia/protos/sabia/telephony/v1/service';
import type { CallDelivery } from '@sabia/protos/sabia/webhook/v1/messages';
import { WebhookServiceService } from '@sabia/protos/sabia/webhook/v1/service';
import { insufficientCredit, notFound, unavailable } from '@sabia/service-kit/errors';
import { createGrpcClient } from '@sabia/service-kit/grpc/client';
import type { ClientOf } from '@sabia/service-kit/grpc/client';
import { requireCaller } from '@sabia/service-kit/grpc/handler';
import { createGrpcServer } from '@sabia/service-kit/grpc/server';
import { createLogger } from '@sabia/service-kit/logging';
import { createDatabase } from '@sabia/service-kit/postgres/database';
import type { Database } from '@sabia/service-kit/postgres/database';
import { createTelemetry } from '@sabia/service-kit/telemetry';
import { createTestDatabase } from '@sabia/testkit/database';
import type { TestDatabase } from '@sabia/testkit/database';
import { eventually } from '@sabia/testkit/eventually';
import { patient } from '@sabia/testkit/patient';
import type { AsteriskConfig, Config } from '../src/config';
import { createService } from '../src/service';

export const silent = createLogger({ name: 'test', level: 'silent' });

/** The configuration of a fleet of one. */
export const onlyNode = (
  ariUrl: string,
  sip: { host: string; port: number } = { host: '127.0.0.1', port: 5060 },
): AsteriskConfig['nodes'] => ({ list: [{ name: 'asterisk', ariUrl, sip, capacity: 500 }] });

/** The numbers of the simulated switch. */
export const numbers = {
  answer: '551155500101',
  ring: '551155500102',
  busy: '551155500103',
  noAnswer: '551155500104',
  unallocated: '551155500105',
  reject: '551155500106',
  congestion: '551155500107',
  hangupAfter: (seconds: number) => `5511555002${String(seconds).padStart(2, '0')}`,
};

export type Telephony = ClientOf<TelephonyServiceService>;

/** With an idempotency key. */
export interface Keyed {
  key: string;
  onReplayed?: () => void;
}

export interface Replica {
  as(caller: Caller, keyed?: Keyed): Telephony;
  stop(): Promise<void>;
}

export interface Stage {
  /** Under the role of the service. */
  sql: Database;
  admin: Database;
  database: TestDatabase;
  neighbours: Neighbours;
  recordingsFolder: string;
  start(overrides?: Partial<Config>, chassis?: Partial<Config['chassis']>): Promise<Replica>;
  /** No replica drives the simulated switch from now on, which takes calls all the same: only what a test does happens to them. */
  holdSwitch(): Promise<void>;
  /** The outbox keeps everything while NATS is away: every event of a call in order, but for the ringing, which is for accounts only. */
  eventsOf(callId: string): Promise<{ type: string; call: CallSnapshot }[]>;
  /** Without the part that all of them have: created, answered, ended. */
  eventTypesOf(callId: string): Promise<string[]>;
  close(): Promise<void>;
}

/** Telephony on a database of its own, between two services that only pretend. */
export async function openStage(natsUrl = 'nats://127.0.0.1:1'): Promise<Stage> {
  const database = await createTestDatabase('telephony');
  const neighbours = await startNeighbours();
  const recordingsFolder = mkdtempSync(path.join(tmpdir(), 'sabia-recordings-'));
  const open = (url: string): Database =>
    createDatabase({ ...patient, url, applicationName: 'test', poolSize: 4, log: silent });
  const sql = open(database.url);
  const admin = open(database.adminUrl);

  async function eventsOf(callId: string): Promise<{ type: string; call: CallSnapshot }[]> {
    const rows = await sql.query<{ type: string; payload: Buffer }>(
      `SELECT type, payload FROM outbox WHERE type LIKE 'telephony.call.%' AND type <> ALL (ARRAY['telephony.call.ringing', 'telephony.call.priced']) ORDER BY position`,
    );
    return rows
      .map(({ type, payload }) => ({ type, call: CallEnded.decode(payload).call! }))
      .filter(({ call }) => call.callId === callId);
  }

  return {
    sql,
    admin,
    database,
    neighbours,
    recordingsFolder,
    async start(overrides = {}, chassis = {}) {
      const config = { ...configOf(database.url, natsUrl, neighbours, recordingsFolder), ...overrides };
      return startReplica({ ...config, chassis: { ...config.chassis, ...chassis } });
    },
    async holdSwitch() {
      await sql.query(`INSERT INTO switch_leases VALUES ('simulated', gen_random_uuid(), now() + interval '1 hour')`);
      await sql.query(
        `INSERT INTO sip.switches (name, sip_host, capacity, state, seen_at, updated_at)
         VALUES ('simulated', '127.0.0.1', 1000, 'active', now() + interval '1 hour', now() - interval '1 hour')
         ON CONFLICT (name) DO UPDATE SET state = 'active', seen_at = excluded.seen_at, updated_at = excluded.updated_at`,
      );
    },
    eventsOf,
    eventTypesOf: async (callId) => (await eventsOf(callId)).map(({ type }) => type.replace('telephony.call.', '')),
    async close() {
      await Promise.all([sql.close(), admin.close(), neighbours.stop()]);
      await database.drop();
      rmSync(recordingsFolder, { recursive: true, force: true });
    },
  };
}

function configOf(databaseUrl: string, natsUrl: string, neighbours: Neighbours, recordingsFolder: string): Config {
  return {
    chassis: {
      databaseUrl,
      natsUrl,
      grpcHost: '127.0.0.1',
      grpcPort: 0,
      metricsPort: 0,
      logLevel: 'silent',
      databasePoolSize: 10,
      maxConnectionAgeMs: 30_000,
      shutdownTimeoutMs: 30_000,
      outboxPollMs: 50,
    },
    trunks: [{ name: 'trunk-test', format: 'e164' }],
    extensionsAddress: neighbours.address,
    billingAddress: neighbours.address,
    webhookAddress: neighbours.address,
    publicUrl: 'http://sabia.test',
    recordingsFolder,
    recordingSecret: 'a secret of the test',
    recordingRetentionDays: 90,
    captureRetentionDays: 30,
    callRetentionDays: 0,
    timelineRetentionDays: 0,
    policy: {
      ringSeconds: 45,
      maximumSeconds: 14_400,
      extendSeconds: 60,
      extendLeadSeconds: 10,
      warningSeconds: 0,
      hangupSeconds: 5,
    },
    waitSeconds: 60,
    maximumLiveCalls: 1000,
    // Nobody drives the calls of the simulated switch on: longer than any moment in which a busy machine runs no test.
    leaseSeconds: 60,
    absenceSeconds: 120,
    pollMs: 50,
    phoneCountry: 'BR',
    timeZone: 'America/Sao_Paulo',
  };
}

async function startReplica(config: Config): Promise<Replica> {
  const service = createService(config, { log: silent });
  const { grpcPort } = await service.start();
  const client = createGrpcClient(TelephonyServiceService, {
    address: `127.0.0.1:${grpcPort}`,
    defaultTimeoutMs: 60_000,
  });
  return {
    as: (caller, keyed) => speakingFor(client, caller, keyed),
    async stop() {
      client.close();
      await service.stop();
    },
  };
}

export function speakingFor(client: Telephony, caller: Caller, { key, onReplayed }: Partial<Keyed> = {}): Telephony {
  const signal = () => new AbortController().signal;
  const scope = () => ({ requestId: randomUUID(), signal: signal(), caller, idempotencyKey: key });
  const calls = Object.keys(TelephonyServiceService).map((name) => {
    const rpc = client[name as keyof Telephony] as (request: unknown, options: object) => Promise<unknown>;
    return [name, (request: unknown) => rpc(request, { scope: scope(), onReplayed })];
  });
  return Object.fromEntries(calls) as Telephony;
}

export interface FakeExtension {
  domain: string;
  gravarAudio: boolean;
  /** Null: none of its own. */
  bina?: string | null;
}

export interface FakeProof {
  accountId: number;
  number: string;
  triesLeft: number;
  outcome: NumberProofOutcome;
}

export const proofCode = '482913';

export interface Neighbours {
  address: string;
  /** By `account/ramal`. */
  extensions: Map<string, FakeExtension>;
  /** Seconds of talking that each account can still pay for. */
  credit: Map<number, number>;
  reserved: Map<string, number>;
  released: string[];
  /** As many of the next requests for more talking time fail, as if nobody could be asked. */
  billing: { failures: number };
  /** By id; the code of each is 482913. */
  proofs: Map<string, FakeProof>;
  /** By id of the call. */
  deliveries: Map<string, CallDelivery[]>;
  stop(): Promise<void>;
}

const proofTimes = () => ({ createdAt: new Date(), expiresAt: new Date(Date.now() + 600_000) });

const FIRST_STEP = 60;
const FAKE_ID = 1;

async function startNeighbours(): Promise<Neighbours> {
  const telemetry = await createTelemetry({ serviceName: 'neighbours', metricsPort: 0, metricsHost: '127.0.0.1' });
  const server = createGrpcServer({ log: silent, telemetry, maxConnectionAgeMs: 30_000 });
  const extensions: Neighbours['extensions'] = new Map();
  const credit: Neighbours['credit'] = new Map();
  const reserved: Neighbours['reserved'] = new Map();
  const accounts = new Map<string, number>();
  const released: string[] = [];
  const billing = { failures: 0 };
  const proofs: Neighbours['proofs'] = new Map();
  const deliveries: Neighbours['deliveries'] = new Map();

  const proofOf = (id: string): FakeProof => {
    const proof = proofs.get(id);
    if (proof === undefined) throw notFound('proof', id);
    return proof;
  };

  server.add(ExtensionsServiceService, {
    async openNumberProof({ id, accountId, number }) {
      proofs.set(id, { accountId, number, triesLeft: 3, outcome: NumberProofOutcome.UNSPECIFIED });
      return OpenNumberProofResponse.fromPartial({ number, code: proofCode, triesLeft: 3, ...proofTimes() });
    },
    async dropNumberProof({ id }) {
      proofs.delete(id);
      return {};
    },
    async findNumberProof({ id, accountId }) {
      const { accountId: owner, ...known } = proofOf(id);
      if (owner !== accountId) throw notFound('proof', id);
      return FindNumberProofResponse.fromPartial({ ...known, ...proofTimes() });
    },
    async tryNumberProof({ id, code }) {
      const proof = proofOf(id);
      proof.triesLeft -= 1;
      if (code === proofCode) proof.outcome = NumberProofOutcome.PROVEN;
      else if (proof.triesLeft === 0) proof.outcome = NumberProofOutcome.WRONG_CODE;
      const { PROVEN, UNSPECIFIED } = NumberProofOutcome;
      const { RIGHT, WRONG, OVER } = NumberProofVerdict;
      return { verdict: proof.outcome === PROVEN ? RIGHT : proof.outcome === UNSPECIFIED ? WRONG : OVER };
    },
    async resolveExtension({ extensionId, ...wanted }) {
      // Every account has one extension here, with this id.
      if (extensionId === FAKE_ID) wanted.ramal = '1000';
      const found = [...extensions].find(([key, { domain, bina = '551140028922' }]) =>
        wanted.bina !== ''
          ? bina === wanted.bina
          : key.endsWith(`/${wanted.ramal}`) && (domain === wanted.domain || key.startsWith(`${wanted.accountId}/`)),
      );
      if (found === undefined) throw notFound('extension', wanted.ramal);
      const [key, known] = found;
      const [accountId, ramal] = key.split('/') as [string, string];
      return ResolveExtensionResponse.fromPartial({
        accountId: Number(accountId),
        extension: {
          id: FAKE_ID,
          domain: known.domain,
          ramal,
          bina: known.bina === null ? undefined : (known.bina ?? '551140028922'),
          first_name: 'Ana',
          last_name: 'Souza',
          email_address: 'ana@example.com',
          gravar_audio: known.gravarAudio,
          registered: true,
        },
      });
    },
  });
  const take = (callId: string, accountId: number, wanted: number): number => {
    const seconds = Math.min(wanted, credit.get(accountId) ?? 0);
    credit.set(accountId, (credit.get(accountId) ?? 0) - seconds);
    reserved.set(callId, (reserved.get(callId) ?? 0) + seconds);
    return reserved.get(callId)!;
  };
  server.add(BillingServiceService, {
    async reserveCredit({ callId, accountId }) {
      if ((credit.get(accountId) ?? 0) <= 0) throw insufficientCredit();
      accounts.set(callId, accountId);
      const seconds = take(callId, accountId, FIRST_STEP);
      return { reserved: seconds * 100, seconds, minutePrice: 6_000, exhausted: seconds < FIRST_STEP };
    },
    async extendReservation({ callId, seconds: wanted }) {
      if (billing.failures > 0) {
        billing.failures -= 1;
        throw unavailable();
      }
      const seconds = take(callId, accounts.get(callId)!, wanted - (reserved.get(callId) ?? 0));
      return { reserved: seconds * 100, seconds, exhausted: seconds < wanted };
    },
    async releaseReservation({ callId }) {
      released.push(callId);
      return {};
    },
    async getCallMoney({ callId }, context) {
      const { accountId } = requireCaller(context);
      const seconds = accounts.get(callId) === accountId ? reserved.get(callId) : undefined;
      return { money: CallMoney.fromPartial({ callId, reservation: seconds === undefined ? undefined : { seconds } }) };
    },
    listOpenReservations: () => Promise.resolve({ reservations: [] }),
  });
  server.add(WebhookServiceService, {
    listCallDeliveries: ({ callId }) => Promise.resolve({ deliveries: deliveries.get(callId) ?? [] }),
    matchConstraint: ({ metadata }) =>
      Promise.resolve({ matches: metadata.map((text) => ({ matches: text !== '{}', why: undefined })) }),
  });
  const port = await server.start('127.0.0.1', 0);
  return {
    address: `127.0.0.1:${port}`,
    extensions,
    credit,
    reserved,
    released,
    billing,
    proofs,
    deliveries,
    async stop() {
      await server.stop(1_000);
      await telemetry.shutdown();
    },
  };
}

let accounts = 0;

/** An account that nobody else uses, with the extension 1000 and all the credit one likes. */
export function newAccount({ neighbours }: Stage, { gravarAudio = false, credit = 1_000_000 } = {}): Caller {
  accounts += 1;
  const accountId = 500_000 + accounts;
  const domain = `conta-${randomBytes(4).toString('hex')}.sabia.localhost`;
  neighbours.extensions.set(`${accountId}/1000`, { domain, gravarAudio });
  neighbours.credit.set(accountId, credit);
  return Caller.fromPartial({
    accountId,
    accountUuid: randomUUID(),
    domain,
    timeZone: 'America/Sao_Paulo',
    userId: accountId + 1,
    userUuid: randomUUID(),
    email: 'chefe@example.com',
    role: Role.USER,
  });
}

/** The record of a call as soon as it is as wanted. */
export async function whenCall(telephony: Telephony, id: string, status: Call['status']): Promise<Call> {
  return eventually(async () => {
    const { call } = await telephony.getCall({ id });
    if (call!.status !== status) throw new Error(`the call is ${call!.status} ${call!.hangup_cause ?? ''}`);
    return call!;
  });
}
