import { randomInt } from 'node:crypto';
import { billingEvents } from '@sabia/protos/events/billing';
import type { Nats } from '@sabia/service-kit/events/nats/connection';
import { ensureStreams } from '@sabia/service-kit/events/nats/streams';
import { createLogger } from '@sabia/service-kit/logging';
import { eventually } from '@sabia/testkit/eventually';
import { testServers } from '@sabia/testkit/servers';
import { connect } from 'nats';
import type { NatsConnection } from 'nats';
import { createEventTail } from '../src/live/event-tail';
import { publishLive } from './fixtures/live-events';

let connection: NatsConnection;

beforeAll(async () => {
  connection = await connect({ servers: new URL(testServers().natsUrl).host });
  await ensureStreams(connection);
});
afterAll(() => connection.close());

/** A connection whose answer about a new consumer comes only after `before` has ended. */
function answeringLate(before: () => Promise<void>): NatsConnection {
  return Object.assign(Object.create(connection) as NatsConnection, {
    subscribe: connection.subscribe.bind(connection),
    async jetstreamManager() {
      const manager = await connection.jetstreamManager();
      const add = manager.consumers.add.bind(manager.consumers);
      manager.consumers.add = async (...given: Parameters<typeof add>) => {
        const created = await add(...given);
        await before();
        return created;
      };
      return manager;
    },
  });
}

it('passes on nothing before the streams have been told to read the log, and everything after it', async () => {
  const accountId = randomInt(2 ** 40);
  const happened: string[] = [];
  const publish = async (): Promise<void> => {
    await publishLive(connection, accountId, billingEvents.balanceChanged, { balance: 1, reserved: 0, available: 1 });
    await connection.flush();
  };
  const nats: Nats = {
    connected: true,
    connection: () => Promise.resolve(answeringLate(publish)),
    onStatus: () => () => undefined,
    close: () => Promise.resolve(),
  };
  const tail = createEventTail({
    nats,
    log: createLogger({ name: 'test', level: 'silent' }),
    onMessage: (message) => void (message.accountId === accountId && happened.push('message')),
    onFollowing: () => void happened.push('following'),
  });
  try {
    tail.start();
    await eventually(() => tail.following);
    await publish();
    await eventually(() => happened.includes('message'));
    expect(happened).toEqual(['following', 'message']);
  } finally {
    tail.stop();
  }
});
