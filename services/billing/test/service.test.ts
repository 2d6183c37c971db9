import { randomInt, randomUUID } from 'node:crypto';
import { newEventId } from '@sabia/service-kit/events/outbox';
import path from 'node:path';
import { CallRated, ChargeChanged, CreditExhausted, CreditLow } from '@sabia/protos/sabia/billing/v1/events';
import { ChargeStatus } from '@sabia/protos/sabia/billing/v1/messages';
import { BillingServiceService } from '@sabia/protos/sabia/billing/v1/service';
import { ErrorKind } from '@sabia/protos/sabia/api/v1/error';
import { Envelope } from '@sabia/protos/sabia/events/v1/envelope';
import { CallEnded } from '@sabia/protos/sabia/telephony/v1/events';
import type { Service } from '@sabia/service-kit/chassis';
import { listDeadLetters, replayDeadLetter } from '@sabia/service-kit/events/consumer/dead-letters';
import { connectNats } from '@sabia/service-kit/events/nats/connection';
import type { Nats } from '@sabia/service-kit/events/nats/connection';
import { ensureStreams } from '@sabia/service-kit/events/nats/streams';
import { eventStream, eventSubject } from '@sabia/service-kit/events/nats/topology';
import { createGrpcClient } from '@sabia/service-kit/grpc/client';
import { createDatabase } from '@sabia/service-kit/postgres/database';
import type { Database } from '@sabia/service-kit/postgres/database';
import { monthFrom } from '@sabia/service-kit/postgres/partitions/months';
import { createTestDatabase } from '@sabia/testkit/database';
import type { TestDatabase } from '@sabia/testkit/database';
import { eventually } from '@sabia/testkit/eventually';
import { patient } from '@sabia/testkit/patient';
import { testServers } from '@sabia/testkit/servers';
import { loadConfig } from '../src/config';
import { createService } from '../src/service';
import { keep } from './reservation-months';
import { callerOf, log } from './stage';

const destination = '5511987654321';

/** The whole service, twice, against real PostgreSQL and NATS. No other test file starts it: they would share its consumers. */
describe('billing, two replicas', () => {
  let testDatabase: TestDatabase;
  let database: Database;
  let nats: Nats;
  let services: Service[];
  let clients: ReturnType<typeof connect>[];
  // All tests of a run share one NATS.
  const account = randomInt(1_000_000, 1_000_000_000);

  const connect = (port: number) => createGrpcClient(BillingServiceService, { address: `127.0.0.1:${port}` });
  const scopeOf = (accountId: number) => ({
    scope: { requestId: randomUUID(), signal: new AbortController().signal, caller: callerOf({ accountId }) },
  });

  beforeAll(async () => {
    testDatabase = await createTestDatabase('billing');
    database = createDatabase({ ...patient, url: testDatabase.url, applicationName: 'billing test', poolSize: 4, log });
    nats = connectNats({ url: testServers().natsUrl, name: 'billing test', log });
    await ensureStreams(await nats.connection());
    const config = loadConfig({
      DATABASE_URL: testDatabase.url,
      NATS_URL: testServers().natsUrl,
      GRPC_HOST: '127.0.0.1',
      PAYMENT_GATEWAY: 'sandbox',
      ALLOW_SANDBOX_PAYMENTS: 'true',
      RATES_SEED_FILE: path.join(__dirname, '../rates/sample.csv'),
      RATE_REFRESH_MS: '50',
      OUTBOX_POLL_MS: '50',
      LOW_CREDIT_THRESHOLD: '1.00',
    });
    services = [createService(config, { log, sweepMs: 50 }), createService(config, { log, sweepMs: 50 })];
    const started = await Promise.all(services.map((service) => service.start()));
    clients = started.map(({ grpcPort }) => connect(grpcPort));
    await eventually(async () => (await Promise.all(clients.map((client) => client.checkHealth()))).every(Boolean));
  });

  afterAll(async () => {
    clients.forEach((client) => client.close());
    await Promise.all(services.map((service) => service.stop()));
    await nats.close();
    await database.close();
    await testDatabase.drop();
  });

  async function publishEnded(
    calls: { callId: string; seconds: number; eventId?: string }[],
    times = 1,
    accountId = account,
  ): Promise<void> {
    const jetStream = (await nats.connection()).jetstream();
    for (let n = 0; n < times; n++) {
      await Promise.all(
        calls.map(({ callId, seconds, eventId }) => {
          const call = { callId, callType: 'outbound', to: destination, durationSeconds: seconds, endedAt: new Date() };
          const envelope = Envelope.fromPartial({
            id: eventId ?? randomUUID(),
            type: 'telephony.call.ended',
            version: 1,
            accountId,
            occurredAt: new Date(),
            payload: Buffer.from(CallEnded.encode(CallEnded.fromPartial({ call })).finish()),
          });
          // Without a message id JetStream itself drops nothing: the inbox has to.
          return jetStream.publish(eventSubject('telephony.call.ended'), Envelope.encode(envelope).finish());
        }),
      );
    }
  }

  /** What NATS holds of a type for an account, decoded. */
  async function published<T>(type: string, accountId: number, decode: (payload: Uint8Array) => T): Promise<T[]> {
    const jetStream = (await nats.connection()).jetstream();
    const source = await jetStream.consumers.get(eventStream, { filterSubjects: eventSubject(type) });
    const { num_pending } = await source.info();
    const found: T[] = [];
    if (num_pending > 0) {
      for await (const message of await source.fetch({ max_messages: num_pending, expires: 300_000 })) {
        const envelope = Envelope.decode(message.data);
        if (envelope.accountId === accountId) {
          found.push(decode(envelope.payload));
        }
      }
    }
    return found;
  }

  const ratedCalls = () => published('billing.call.rated', account, (payload) => CallRated.decode(payload));

  const balance = async () => (await clients[1]!.getBalance({}, scopeOf(account))).balance;

  test('rates are seeded once, and a replica notices a change made elsewhere', async () => {
    const quote = () => Promise.all(clients.map((client) => client.quoteRate({ destination }, scopeOf(account))));
    expect((await quote()).map((rate) => rate.minute_price)).toEqual([1_100, 1_100]);
    await database.query(
      `WITH rate AS (UPDATE rates SET minute_price = 0.12 WHERE prefix = '55119'), deck AS (UPDATE rate_decks SET version = version + 1)
       UPDATE rates_version SET version = version + 1`,
    );
    await eventually(async () => (await quote()).every((rate) => rate.minute_price === 1_200));
  });

  test('a call on one replica, its price from the event, on NATS once', async () => {
    await clients[0]!.grantCredit({ accountId: account, amount: 1_000_000, key: 'demo', description: 'Demo' });
    const callId = newEventId();
    const reserved = await clients[0]!.reserveCredit({ callId, accountId: account, destination });
    expect(reserved).toEqual({ reserved: 1_200, seconds: 60, minutePrice: 1_200, exhausted: false });
    await clients[1]!.extendReservation({ callId, seconds: 90 });
    await publishEnded([{ callId, seconds: 70, eventId: randomUUID() }], 3);
    const rated = await eventually(async () => {
      const found = (await ratedCalls()).filter((call) => call.callId === callId);
      return found.length > 0 && found;
    });
    expect(rated).toEqual([{ callId, minutePrice: 1_200, callPrice: 1_440, billedSeconds: 72 }]);
    expect(await balance()).toBe(998_560);
  });

  test('three hundred ends, each told three times, while a replica goes away: each charged and told once', async () => {
    const calls = Array.from({ length: 300 }, () => ({ callId: newEventId(), seconds: 6, eventId: randomUUID() }));
    await Promise.all(
      calls.map(({ callId }) => clients[1]!.reserveCredit({ callId, accountId: account, destination })),
    );
    const before = await balance();
    const publishing = publishEnded(calls, 3);
    await services[0]!.stop();
    await publishing;
    await eventually(async () => (await balance()) === before - 300 * 600 || undefined);
    const ids = new Set<string>(calls.map(({ callId }) => callId));
    const rated = await eventually(async () => {
      const found = (await ratedCalls()).filter(({ callId }) => ids.has(callId));
      return found.length >= 300 && found;
    });
    expect(rated).toHaveLength(300);
    expect(new Set(rated.map(({ callId }) => callId)).size).toBe(300);
    const { meta } = await clients[1]!.getStatement({ filter: '{"where":{"kind":"call"}}' }, scopeOf(account));
    expect(meta?.totalItemCount).toBe(301);
  });

  test('the end of a call whose id is of no month that is there is kept as a dead letter, and settled once the month is', async () => {
    const [lost, fine] = [newEventId(monthFrom(new Date(), 9)), newEventId()];
    await clients[1]!.reserveCredit({ callId: fine, accountId: account, destination });
    await expect(clients[1]!.reserveCredit({ callId: lost, accountId: account, destination })).rejects.toMatchObject({
      violations: [{ field: 'callId', code: 'range' }],
    });
    const eventId = randomUUID();
    const consumer = 'billing-call-ended';
    // The next failure is its last.
    await database.query('INSERT INTO inbox_attempts (consumer, event_id, tries) VALUES ($1, $2, 7)', [
      consumer,
      eventId,
    ]);
    await publishEnded([
      { callId: lost, seconds: 6, eventId },
      { callId: fine, seconds: 6 },
    ]);
    const letter = await eventually(async () =>
      (await listDeadLetters(nats, { durable: consumer })).find(({ event }) => event?.id === eventId),
    );
    expect(letter.reason).toContain(`CallOutOfTime: ${lost} is of `);
    const isRated = async (id: string) => (await ratedCalls()).some(({ callId }) => callId === id);
    await eventually(() => isRated(fine));
    expect(await isRated(lost)).toBe(false);

    await keep(database, monthFrom(new Date(), 3));
    await replayDeadLetter(nats, letter.sequence);
    await eventually(() => isRated(lost));
  });

  test('charges and little credit are told with what they are about, at the threshold that is configured', async () => {
    const poor = account + 2;
    const dueDate = new Date(Date.now() + 3 * 86_400_000).toISOString().slice(0, 10);
    const charge = await clients[1]!.createCharge({ dueDate, amount: 51_000 }, scopeOf(poor));
    await clients[1]!.paySandboxCharge({ token: charge.paymentLink!.split('/').at(-1)! });
    const told = (change: string) =>
      published(`billing.charge.${change}`, poor, (payload) => ChargeChanged.decode(payload));
    const about = { chargeId: charge.id, amount: 51_000, refundedAmount: 0 };
    await eventually(async () => (await told('received')).length > 0);
    expect(await told('created')).toEqual([{ ...about, status: ChargeStatus.PENDING, paidAmount: 0 }]);
    expect(await told('received')).toEqual([{ ...about, status: ChargeStatus.RECEIVED, paidAmount: 51_000 }]);

    /** A call that lasts for as long as it is paid for. */
    async function talk(seconds: number): Promise<void> {
      const callId = newEventId();
      let granted = await clients[1]!.reserveCredit({ callId, accountId: poor, destination });
      while (granted.seconds < seconds && !granted.exhausted) {
        granted = { ...granted, ...(await clients[1]!.extendReservation({ callId, seconds })) };
      }
      await publishEnded([{ callId, seconds }], 1, poor);
    }

    // 0.12 a minute: 4.08 leave 1.02, two cents above the threshold of one real.
    await talk(34 * 60);
    await eventually(async () => (await clients[1]!.getBalance({}, scopeOf(poor))).balance === 10_200);
    await talk(30);
    const low = () => published('billing.credit.low', poor, (payload) => CreditLow.decode(payload));
    await eventually(async () => (await low()).length > 0);
    await talk(3_600);
    const gone = () => published('billing.credit.exhausted', poor, (payload) => CreditExhausted.decode(payload));
    await eventually(async () => (await gone()).length > 0);
    expect(await low()).toEqual([{ balance: 9_600, threshold: 10_000 }]);
    // Told when the call could not be given all it asked for, and not again when it has used up the rest.
    expect(await gone()).toEqual([{ balance: 9_600 }]);
    await eventually(async () => (await clients[1]!.getBalance({}, scopeOf(poor))).balance === 0);
  });

  test('errors cross gRPC as what they are', async () => {
    const poor = { callId: newEventId(), accountId: account + 1, destination };
    await expect(clients[1]!.reserveCredit(poor)).rejects.toMatchObject({ kind: ErrorKind.INSUFFICIENT_CREDIT });
    await expect(clients[1]!.getFinancialAccount({}, scopeOf(account))).rejects.toMatchObject({
      code: 'MODEL_NOT_FOUND',
    });
    await expect(clients[1]!.getBalance({})).rejects.toMatchObject({ kind: ErrorKind.UNAUTHENTICATED });
  });

  test('a reservation expires by itself', async () => {
    const callId = newEventId();
    await clients[1]!.reserveCredit({ callId, accountId: account, destination });
    await database.query(`UPDATE reservations SET expires_at = now() - interval '1 second' WHERE call_id = $1`, [
      callId,
    ]);
    await eventually(async () => (await clients[1]!.getBalance({}, scopeOf(account))).reserved === 0 || undefined);
  });
});
