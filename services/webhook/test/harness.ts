import { randomBytes, randomUUID } from 'node:crypto';
import { billingEvents } from '@sabia/protos/events/billing';
import type { EventDefinition, EventType } from '@sabia/protos/events/define-event';
import { identityEvents } from '@sabia/protos/events/identity';
import { telephonyEvents } from '@sabia/protos/events/telephony';
import { Envelope } from '@sabia/protos/sabia/events/v1/envelope';
import { Caller, Role } from '@sabia/protos/sabia/api/v1/caller';
import { CallSnapshot } from '@sabia/protos/sabia/telephony/v1/events';
import type { Delivery, Integration } from '@sabia/protos/sabia/webhook/v1/messages';
import { WebhookServiceService } from '@sabia/protos/sabia/webhook/v1/service';
import type { PutOff } from '@sabia/service-kit/events/consumer/retry-later';
import { createGrpcClient } from '@sabia/service-kit/grpc/client';
import type { ClientOf } from '@sabia/service-kit/grpc/client';
import { createOutbox, newEventId } from '@sabia/service-kit/events/outbox';
import { createLogger } from '@sabia/service-kit/logging';
import { createDatabase } from '@sabia/service-kit/postgres/database';
import type { Database } from '@sabia/service-kit/postgres/database';
import { createTestDatabase } from '@sabia/testkit/database';
import type { TestDatabase } from '@sabia/testkit/database';
import { eventually } from '@sabia/testkit/eventually';
import { patient } from '@sabia/testkit/patient';
import { testServers } from '@sabia/testkit/servers';
import type { Lookup } from '../src/delivery/host-lookup';
import type { SecretKey } from '../src/domain/secret-vault';
import { callEvents } from '../src/events/on-call-events';
import { createUnsentNotes } from '../src/events/unsent-notes';
import { addUnsentCounts } from '../src/storage/unsent-counts';
import type { HandledEvent } from '../src/events/read-call-event';
import { createService } from '../src/service';

export type Webhooks = ClientOf<WebhookServiceService>;

export interface RunningWebhook {
  as(caller: Caller): Webhooks;
  /** Everything that was logged, as one text. */
  logged(): string;
  stop(): Promise<void>;
}

export interface StartOptions {
  /** The consumer has one name for all that run, so only one test file may let it consume. */
  withNats?: boolean;
  allowPrivate?: boolean;
  timeoutMs?: number;
  leaseMs?: number;
  maximumIntegrations?: number;
  now?: () => Date;
  lookup?: Lookup;
  ca?: string;
  secretKeys?: SecretKey[];
}

export interface Home {
  database: TestDatabase;
  sql: Database;
  start(options?: StartOptions): Promise<RunningWebhook>;
  /** Handles the events as if NATS had delivered them in one batch; returns those that were put off. */
  tell(...events: HandledEvent[]): Promise<PutOff[] | void>;
  close(): Promise<void>;
}

const silent = createLogger({ name: 'test', level: 'silent' });
export const testKey = { id: 'test', bytes: randomBytes(32) };

export async function openHome(): Promise<Home> {
  const database = await createTestDatabase('webhook');
  const sql = createDatabase({ ...patient, url: database.url, applicationName: 'test', poolSize: 4, log: silent });
  const unsentNotes = createUnsentNotes();
  const outbox = createOutbox({ poke: () => undefined });
  const consumer = callEvents({ outbox, log: silent, now: () => new Date(), unsentNotes });
  return {
    database,
    sql,
    start: (options = {}) => startService(database.url, options),
    async tell(...events) {
      const putOff = await sql.transaction((tx) => consumer.handleBatch(events, tx));
      await addUnsentCounts(sql, unsentNotes.take());
      return putOff;
    },
    async close() {
      await sql.close();
      await database.drop();
    },
  };
}

async function startService(databaseUrl: string, options: StartOptions): Promise<RunningWebhook> {
  const { withNats = false, allowPrivate = true, timeoutMs = 20_000, leaseMs = 60_000, now, lookup, ca } = options;
  const lines: string[] = [];
  const log = createLogger({
    name: 'webhook',
    level: 'trace',
    destination: { write: (line: string) => void lines.push(line) },
  });
  const service = createService(
    {
      chassis: {
        databaseUrl,
        natsUrl: withNats ? testServers().natsUrl : 'nats://127.0.0.1:1',
        grpcHost: '127.0.0.1',
        grpcPort: 0,
        metricsPort: 0,
        logLevel: 'trace',
        databasePoolSize: 5,
        maxConnectionAgeMs: 30_000,
        shutdownTimeoutMs: 60_000,
        outboxPollMs: 50,
      },
      allowPrivate,
      secretKeys: options.secretKeys ?? [testKey],
      timeoutMs,
      leaseMs,
      maximumIntegrations: options.maximumIntegrations ?? 10_000,
    },
    { log, now, lookup, ca },
  );
  const { grpcPort } = await service.start();
  const client = createGrpcClient(WebhookServiceService, {
    address: `127.0.0.1:${grpcPort}`,
    defaultTimeoutMs: 60_000,
  });
  return {
    as: (caller) => speakingFor(client, caller),
    logged: () => lines.join(''),
    async stop() {
      client.close();
      await service.stop();
    },
  };
}

function speakingFor(client: Webhooks, caller: Caller): Webhooks {
  const scope = () => ({ requestId: randomUUID(), signal: new AbortController().signal, caller });
  const calls = Object.keys(WebhookServiceService).map((name) => {
    const rpc = client[name as keyof Webhooks] as (request: unknown, options: object) => Promise<unknown>;
    return [name, (request: unknown) => rpc(request, { scope: scope() })];
  });
  return Object.fromEntries(calls) as Webhooks;
}

let accounts = 0;

/** An account of its own, with two users. */
export function newAccount() {
  accounts += 1;
  const accountId = 200_000 + accounts;
  const domain = `conta-${randomBytes(4).toString('hex')}.sabia.localhost`;
  const member = (userId: number): Caller =>
    Caller.fromPartial({ accountId, domain, timeZone: 'America/Sao_Paulo', userId, role: Role.USER });
  return { accountId, domain, ana: member(accountId * 10), bob: member(accountId * 10 + 1) };
}

export const allTypes = ['channel-create', 'channel-answer', 'channel-hangup', 'call-recorded', 'call-priced'];

export async function integrate(
  webhooks: Webhooks,
  url: string,
  settings: { gateway?: string; constraint?: object; [name: string]: unknown } = {},
): Promise<Integration> {
  const { gateway = 'crm', constraint, ...rest } = settings;
  const { integration } = await webhooks.upsertIntegration({
    gateway,
    webhook: true,
    webhookConstraint: constraint === undefined ? undefined : JSON.stringify(constraint),
    metadata: JSON.stringify({ webhookUrl: url, ...rest }),
  });
  return integration!;
}

export interface TestCall {
  accountId: number;
  domain?: string;
  callId?: string;
  metadata?: string;
}

export function snapshotOf({ domain = 'a.sabia.localhost', callId = randomUUID(), metadata = '{}' }: TestCall) {
  return CallSnapshot.fromPartial({
    callId,
    domain,
    callType: 'outbound',
    from: '1000',
    to: '5511987654321',
    startedAt: new Date('2026-01-31T12:00:00.400Z'),
    answeredAt: new Date('2026-01-31T12:00:10Z'),
    endedAt: new Date('2026-01-31T12:01:15Z'),
    durationSeconds: 65,
    hangupCause: 'NORMAL_CLEARING',
    hangupCauseCode: '16',
    metadata,
    userId: 1,
    timeZone: 'America/Sao_Paulo',
  });
}

const definitions = {
  created: telephonyEvents.callCreated,
  answered: telephonyEvents.callAnswered,
  ended: telephonyEvents.callEnded,
  recorded: telephonyEvents.callRecorded,
};

export const callEvent = (name: keyof typeof definitions, call: TestCall, change: Partial<CallSnapshot> = {}) =>
  received(definitions[name], call.accountId, { call: { ...snapshotOf(call), ...change } });

export const ratedEvent = (call: TestCall & { callId: string }) =>
  received(billingEvents.callRated, call.accountId, {
    callId: call.callId,
    minutePrice: 1_250,
    callPrice: 1_350,
    billedSeconds: 66,
  });

function received<T extends EventType, M>({ type }: EventDefinition<T, M>, accountId: number, message: M) {
  return { id: newEventId(), type, version: 1, accountId, occurredAt: new Date(), message, deliveryCount: 1 };
}

const published = new Map<string, EventDefinition>(
  [...Object.values(definitions), billingEvents.callRated, identityEvents.userDeleted].map((event) => [
    event.type,
    event,
  ]),
);

/** The bytes of the event on NATS. */
export function envelopeOf({ message, ...event }: { type: string; message: unknown }): Uint8Array {
  const payload = Buffer.from(published.get(event.type)!.encode(message));
  return Envelope.encode(Envelope.fromPartial({ ...event, payload })).finish();
}

export async function deliveriesOf(webhooks: Webhooks, id: number, where?: object): Promise<Delivery[]> {
  const filter = where === undefined ? undefined : JSON.stringify({ where });
  return (await webhooks.listDeliveries({ id, filter })).data;
}

/** The newest delivery once it satisfies the condition. */
export const deliveryWhen = (
  webhooks: Webhooks,
  id: number,
  condition: (delivery: Delivery) => boolean,
): Promise<Delivery> =>
  eventually(async () => {
    const [delivery] = await deliveriesOf(webhooks, id);
    return delivery !== undefined && condition(delivery) && delivery;
  });

/** A clock that runs like the real one and can be put forward. */
export function movableClock() {
  let ahead = 0;
  return {
    now: () => new Date(Date.now() + ahead),
    forward(milliseconds: number) {
      ahead += milliseconds;
    },
  };
}
