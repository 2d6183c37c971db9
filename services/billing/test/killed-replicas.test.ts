import { randomInt, randomUUID } from 'node:crypto';
import { newEventId } from '@sabia/service-kit/events/outbox';
import { setTimeout as delay } from 'node:timers/promises';
import { startServers } from '@sabia/embedded/servers';
import type { Servers } from '@sabia/embedded/servers';
import { ErrorKind } from '@sabia/protos/sabia/api/v1/error';
import { CallRated } from '@sabia/protos/sabia/billing/v1/events';
import { PaymentMethod } from '@sabia/protos/sabia/billing/v1/messages';
import { Envelope } from '@sabia/protos/sabia/events/v1/envelope';
import { CallEnded } from '@sabia/protos/sabia/telephony/v1/events';
import { ServiceError, TransportError } from '@sabia/service-kit/errors';
import { connectNats } from '@sabia/service-kit/events/nats/connection';
import type { Nats } from '@sabia/service-kit/events/nats/connection';
import { ensureStreams } from '@sabia/service-kit/events/nats/streams';
import { eventStream, eventSubject } from '@sabia/service-kit/events/nats/topology';
import { eventually } from '@sabia/testkit/eventually';
import { createRunHome, sharedCache } from '@sabia/testkit/run-homes';
import type { RunHome } from '@sabia/testkit/run-homes';
import { checkBooks, checkEnd } from './books';
import type { World } from './books';
import { ReplicaProcess } from './replica-process';
import { callerOf, log, openStage } from './stage';
import type { Stage } from './stage';

const replicaCount = 3;
const kills = 7;
const clients = 8;
/** Of each account: what is done is done to the newest. */
const callsAtOnce = 12;
const actions = [
  'begin',
  'begin',
  'reserve',
  'extend',
  'extend',
  'release',
  'settle',
  'end',
  'end',
  'pay',
  'refund',
] as const;
const destination = '5511987654321';

interface Game {
  over: boolean;
  answered: number;
}

/** The gRPC status of an unexpected error. */
const INTERNAL: number = 13;

const isAway = (error: unknown): boolean =>
  error instanceof TransportError
    ? Number(error.grpcCode) !== INTERNAL
    : error instanceof ServiceError && error.kind === ErrorKind.UNAVAILABLE;

/** A NATS of its own: replicas of other tests would take its events. */
describe('replicas that are killed at any moment', () => {
  let home: RunHome;
  let servers: Servers;
  let nats: Nats;
  let stage: Stage;
  let replicas: ReplicaProcess[];

  beforeAll(async () => {
    home = await createRunHome('killed-replicas');
    servers = await startServers({ home: home.path, cache: sharedCache, durable: false, only: ['nats'] });
    nats = connectNats({ url: servers.nats.url, name: 'billing test', log });
    await ensureStreams(await nats.connection());
    stage = await openStage();
    await stage.setPrice('6.00', 1, 1);
    const environment = {
      DATABASE_URL: stage.url,
      NATS_URL: servers.nats.url,
      DATABASE_POOL_SIZE: '4',
      PAYMENT_GATEWAY: 'sandbox',
      ALLOW_SANDBOX_PAYMENTS: 'true',
      OUTBOX_POLL_MS: '50',
      // Short enough for holds to expire under calls, too.
      RESERVATION_SECONDS: '2',
      RESERVATION_GRACE_SECONDS: '1',
      LOW_CREDIT_THRESHOLD: '1.00',
    };
    replicas = await Promise.all(Array.from({ length: replicaCount }, () => ReplicaProcess.start(environment)));
    await eventually(() => replicas.every(({ ready }) => ready));
  });

  afterAll(async () => {
    await Promise.all((replicas ?? []).map((replica) => replica.stop()));
    await nats?.close();
    await servers?.stop();
    home?.remove();
    await stage?.close();
  });

  const oneOf = <T>(all: readonly T[]): T => all[randomInt(all.length)]!;
  const anyone = () => oneOf(replicas).client;
  const as = (accountId: number) => ({
    scope: { requestId: randomUUID(), signal: new AbortController().signal, caller: callerOf({ accountId }) },
  });

  async function createWorld(): Promise<World> {
    const accounts = [1, 2, 3];
    for (const accountId of accounts) {
      await stage.call('grantCredit', { accountId, amount: 150_000, key: 'start', description: '' });
    }
    return {
      accounts,
      calls: accounts.map(() => [newEventId()]),
      eventIds: new Map(),
      charges: new Set(),
      granted: 450_000,
    };
  }

  async function tellEnded(accountId: number, callId: string, eventId: string = randomUUID()): Promise<void> {
    const seconds = Number.parseInt(callId.slice(-2), 16) % 20;
    const call = { callId, callType: 'outbound', to: destination, durationSeconds: seconds, endedAt: new Date() };
    const envelope = Envelope.fromPartial({
      id: eventId,
      type: 'telephony.call.ended',
      version: 1,
      accountId,
      occurredAt: new Date(),
      payload: Buffer.from(CallEnded.encode(CallEnded.fromPartial({ call })).finish()),
    });
    const jetStream = (await nats.connection()).jetstream();
    await jetStream.publish(eventSubject('telephony.call.ended'), Envelope.encode(envelope).finish());
  }

  async function act({ accounts, calls, eventIds, charges }: World): Promise<void> {
    const at = randomInt(accounts.length);
    const accountId = accounts[at]!;
    const callId = oneOf(calls[at]!.slice(-callsAtOnce));
    const seconds = randomInt(1, 25);
    switch (oneOf(actions)) {
      case 'begin': {
        // All the time, so that there is always something to lose.
        const begun = newEventId();
        calls[at]!.push(begun);
        await anyone().reserveCredit({ callId: begun, accountId, destination });
        return;
      }
      case 'reserve':
        await anyone().reserveCredit({ callId, accountId, destination });
        return;
      case 'extend':
        await anyone().extendReservation({ callId, seconds });
        return;
      case 'release':
        await anyone().releaseReservation({ callId });
        return;
      case 'settle':
        await anyone().settleReservation({ callId, durationSeconds: seconds });
        return;
      case 'end': {
        const eventId = eventIds.get(callId) ?? randomUUID();
        eventIds.set(callId, eventId);
        await tellEnded(accountId, callId, eventId);
        return;
      }
      case 'pay': {
        const paymentMethod = oneOf([PaymentMethod.PIX, PaymentMethod.CREDIT_CARD]);
        const dueDate = new Date(Date.now() + 3 * 86_400_000).toISOString().slice(0, 10);
        const wish = { paymentMethod, dueDate, amount: 60_000 };
        const { id, paymentLink } = await anyone().createCharge(wish, as(accountId));
        charges.add(id);
        const token = paymentLink!.split('/').at(-1)!;
        await Promise.allSettled([1, 2].map(() => anyone().paySandboxCharge({ token })));
        return;
      }
      case 'refund':
        await anyone().refundCharge({ accountId, chargeId: oneOf([...charges, 0]) });
    }
  }

  /** A replica that is gone is part of the game, and so is every refusal; nothing else is. */
  async function play(world: World, game: Game): Promise<void> {
    while (!game.over) {
      try {
        await act(world);
        game.answered++;
      } catch (error) {
        if (isAway(error)) {
          await delay(20);
        } else if (error instanceof ServiceError) {
          game.answered++;
        } else {
          throw error;
        }
      }
    }
  }

  async function ratedCalls(): Promise<string[]> {
    const jetStream = (await nats.connection()).jetstream();
    const source = await jetStream.consumers.get(eventStream, { filterSubjects: eventSubject('billing.call.rated') });
    const { num_pending } = await source.info();
    const rated: string[] = [];
    if (num_pending > 0) {
      for await (const message of await source.fetch({ max_messages: num_pending, expires: 300_000 })) {
        rated.push(CallRated.decode(Envelope.decode(message.data).payload).callId);
      }
    }
    return rated;
  }

  test('balance never below zero, ledger sums to zero, each call charged once, each charge credited at most once', async () => {
    const world = await createWorld();
    const game: Game = { over: false, answered: 0 };
    const players = Promise.all(Array.from({ length: clients }, () => play(world, game)));
    try {
      for (let killed = 0; killed < kills; killed++) {
        const victim = oneOf(replicas);
        await eventually(() => victim.ready, { intervalMs: 5 });
        await delay(randomInt(400));
        // In the middle of work that is worth interrupting: many calls end at once, each for the first time.
        const ends = world.accounts.flatMap((accountId, at) =>
          Array.from({ length: callsAtOnce }, async () => {
            const callId = newEventId();
            world.calls[at]!.push(callId);
            // Refused without credit, and then the call costs nothing.
            await Promise.allSettled([anyone().reserveCredit({ callId, accountId, destination })]);
            await tellEnded(accountId, callId);
          }),
        );
        await Promise.all(ends);
        await delay(randomInt(60));
        await victim.kill();
        await checkBooks(stage.database, world.accounts);
      }
      // However slow the machine, some steps must have run, or the test proves nothing.
      await Promise.race([players, eventually(() => game.answered > kills * 10, { timeoutMs: 120_000 })]);
    } finally {
      game.over = true;
    }
    await players;

    // Everything ends some day, and is told at least once.
    for (let times = 0; times < 2; times++) {
      for (const [at, accountId] of world.accounts.entries()) {
        await Promise.all(world.calls[at]!.map((callId) => tellEnded(accountId, callId)));
      }
    }
    const callIds = world.calls.flat();
    await eventually(async () => {
      const rows = await stage.database.query<{ count: number }>(
        `SELECT count(*) AS count FROM reservations WHERE state = 'settled' AND call_id = ANY ($1::uuid[])`,
        [callIds],
      );
      return rows[0]?.count === callIds.length;
    });
    await checkBooks(stage.database, world.accounts);
    await checkEnd(stage.database, world);
    const rated = await eventually(
      async () => {
        const told = await ratedCalls();
        return told.length >= callIds.length && told;
      },
      { intervalMs: 250 },
    );
    expect(rated.sort()).toEqual([...callIds].sort());
  });
});
