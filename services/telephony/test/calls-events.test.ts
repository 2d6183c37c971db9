import { billingEvents } from '@sabia/protos/events/billing';
import { identityEvents } from '@sabia/protos/events/identity';
import { AccountCreated, AccountUpdated } from '@sabia/protos/sabia/identity/v1/events';
import { readEnvelope } from '@sabia/service-kit/events/envelope';
import { connectNats } from '@sabia/service-kit/events/nats/connection';
import type { Nats } from '@sabia/service-kit/events/nats/connection';
import { createOutbox, outgoingEvent } from '@sabia/service-kit/events/outbox';
import type { OutgoingEvent } from '@sabia/service-kit/events/outbox';
import { CallEnded } from '@sabia/protos/sabia/telephony/v1/events';
import { eventually } from '@sabia/testkit/eventually';
import { testServers } from '@sabia/testkit/servers';
import { onAccountTold } from '../src/events/on-account-told';
import { findPreferences } from '../src/storage/account-zones';
import { newAccount, numbers, openStage, silent, whenCall } from './stage';
import type { Replica, Stage } from './stage';

let stage: Stage;
let replicas: Replica[];
let nats: Nats;
const told: { type: string; callId: string }[] = [];

beforeAll(async () => {
  const { natsUrl } = testServers();
  nats = connectNats({ url: natsUrl, name: 'test', log: silent });
  const connection = await nats.connection();
  connection.subscribe('sabia.telephony.call.*', {
    callback: (_error, message) => {
      const { type, payload } = readEnvelope(message.data);
      told.push({ type, callId: CallEnded.decode(payload).call!.callId });
    },
  });
  stage = await openStage(natsUrl);
  // A slow poll: what happens soon happens because somebody was told.
  replicas = [await stage.start({ pollMs: 30_000 }), await stage.start({ pollMs: 30_000 })];
});

afterAll(async () => {
  await Promise.all((replicas ?? []).map((replica) => replica.stop()));
  await nats?.close();
  await stage?.close();
});

/** The outbox of its service is not here; any relay publishes what it is given. */
const publish = (...events: OutgoingEvent[]) =>
  stage.sql.transaction((tx) => createOutbox({ poke: () => undefined }).write(tx, events));

test('the events of a call are published once, whichever replica placed it, without waiting for a poll', async () => {
  const caller = newAccount(stage);
  for (const replica of replicas) {
    const { id } = await replica.as(caller).placeCall({ extension: '1000', called: numbers.hangupAfter(1) });
    await whenCall(replica.as(caller), id, 'ended');
    const types = await eventually(() => {
      const mine = told.filter(({ callId }) => callId === id).map(({ type }) => type);
      return mine.includes('telephony.call.ended') ? mine : undefined;
    });
    expect(types).toEqual(['telephony.call.created', 'telephony.call.answered', 'telephony.call.ended']);
  }
  await eventually(async () => (await stage.sql.query('SELECT FROM outbox')).length === 0);
});

test('a hangup reaches the driver at once', async () => {
  const caller = newAccount(stage);
  for (const replica of replicas) {
    const telephony = replica.as(caller);
    const { id } = await telephony.placeCall({ extension: '1000', called: numbers.answer });
    await whenCall(telephony, id, 'answered');
    await telephony.hangUp({ id });
    await whenCall(telephony, id, 'ended');
  }
});

test('the price comes from an event of billing', async () => {
  const caller = newAccount(stage);
  const telephony = replicas[0]!.as(caller);
  const { id } = await telephony.placeCall({ extension: '1000', called: numbers.unallocated });
  await whenCall(telephony, id, 'ended');
  const rated = { callId: id, minutePrice: 3_500, callPrice: 1_750, billedSeconds: 30 };
  await publish(outgoingEvent(billingEvents.callRated, rated, { accountId: caller.accountId }));
  const call = await eventually(async () => {
    const { call: latest } = await telephony.getCall({ id });
    return latest!.call_price === undefined ? undefined : latest!;
  });
  expect(call).toMatchObject({ minute_price: 3_500, call_price: 1_750, billed_seconds: 30 });
});

test('the time zone of an account comes from events of identity, and the newest wins', async () => {
  const { accountId } = newAccount(stage);
  expect(await findPreferences(stage.sql, accountId)).toBeUndefined();
  const updated = AccountUpdated.fromPartial({ timeZone: 'America/Manaus' });
  await publish(outgoingEvent(identityEvents.accountUpdated, updated, { accountId }));
  await eventually(async () => (await findPreferences(stage.sql, accountId))?.timeZone === 'America/Manaus');

  // Late, and without one.
  for (const timeZone of ['Asia/Tokyo', '']) {
    const occurredAt = timeZone === '' ? new Date() : new Date('2026-03-01T00:00:00Z');
    const event = {
      id: '',
      type: identityEvents.accountCreated.type,
      version: 1,
      accountId,
      occurredAt,
      message: AccountCreated.fromPartial({ timeZone }),
      deliveryCount: 1,
    };
    await stage.sql.transaction((tx) => onAccountTold.handle(event, tx));
    expect(await findPreferences(stage.sql, accountId)).toMatchObject({ timeZone: 'America/Manaus' });
  }
});
