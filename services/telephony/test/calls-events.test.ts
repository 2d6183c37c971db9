import { billingEvents } from '@sabia/protos/events/billing';
import { identityEvents } from '@sabia/protos/events/identity';
import { ErrorKind } from '@sabia/protos/sabia/api/v1/error';
import { AccountCreated, AccountLimited, AccountUpdated } from '@sabia/protos/sabia/identity/v1/events';
import { readEnvelope } from '@sabia/service-kit/events/envelope';
import { connectNats } from '@sabia/service-kit/events/nats/connection';
import type { Nats } from '@sabia/service-kit/events/nats/connection';
import { createOutbox, outgoingEvent } from '@sabia/service-kit/events/outbox';
import type { OutgoingEvent } from '@sabia/service-kit/events/outbox';
import { CallEnded } from '@sabia/protos/sabia/telephony/v1/events';
import { eventually } from '@sabia/testkit/eventually';
import { refusal } from '@sabia/testkit/refused-rpc';
import { testServers } from '@sabia/testkit/servers';
import { onAccountLimited } from '../src/events/on-account-limited';
import { onAccountTold } from '../src/events/on-account-told';
import { findPreferences } from '../src/storage/account-zones';
import { countLiveCalls } from '../src/storage/place-calls';
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
  await eventually(async () => (await stage.sql.query('SELECT FROM outbox_waiting')).length === 0);
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

test('for how long recordings of an account are kept comes from the same events', async () => {
  const { accountId } = newAccount(stage);
  const tell = (message: Partial<AccountLimited>) =>
    publish(outgoingEvent(identityEvents.accountLimited, AccountLimited.fromPartial(message), { accountId }));
  const days = async () => {
    const question = 'SELECT recording_retention_days AS days FROM account_limits WHERE account_id = $1';
    return (await stage.sql.query<{ days: number | null }>(question, [accountId]))[0]?.days;
  };
  await tell({ recordingRetentionDays: 7 });
  await eventually(async () => (await days()) === 7);
  await tell({ liveCalls: 3 });
  await eventually(async () => (await days()) === null);
});

test('the limit of live calls of an account comes from events of identity, above or below that of the platform', async () => {
  const limited = newAccount(stage);
  const { accountId } = limited;
  const good = { extension: '1000', called: numbers.answer };
  const limit = async (liveCalls: number | undefined, occurredAt = new Date()) => {
    const event = {
      id: '',
      type: identityEvents.accountLimited.type,
      version: 1,
      accountId,
      occurredAt,
      message: AccountLimited.fromPartial({ liveCalls }),
      deliveryCount: 1,
    };
    await stage.sql.transaction((tx) => onAccountLimited.handle(event, tx));
  };
  const maximum = async () => (await countLiveCalls(stage.sql, [accountId], 1000)).get(accountId)!.maximum;
  const place = (replica: Replica) => replica.as(limited).placeCall(good);

  const published = AccountLimited.fromPartial({ liveCalls: 2 });
  await publish(outgoingEvent(identityEvents.accountLimited, published, { accountId }));
  await eventually(async () => (await maximum()) === 2);
  await limit(9, new Date('2026-03-01T00:00:00Z'));
  expect(await maximum()).toBe(2);

  const outcomes = await Promise.allSettled(Array.from({ length: 6 }, (_, index) => place(replicas[index % 2]!)));
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(2);
  // Those beyond a lowered limit go on.
  await limit(1);
  expect(await refusal(place(replicas[0]!))).toMatchObject({
    kind: ErrorKind.UNPROCESSABLE,
    code: 'TOO_MANY_CALLS',
    message: 'The account may have at most 1 calls at a time.',
  });
  const { data } = await replicas[0]!.as(limited).listCalls({});
  expect(data.map(({ status }) => status)).not.toContain('ended');
  expect(data).toHaveLength(2);

  const narrow = await stage.start({ maximumLiveCalls: 2 });
  try {
    await limit(undefined);
    expect((await refusal(place(narrow))).code).toBe('TOO_MANY_CALLS');
    await limit(3);
    await place(narrow);
  } finally {
    await narrow.stop();
  }
  const { data: all } = await replicas[0]!.as(limited).listCalls({});
  await Promise.all(all.map(({ id }) => replicas[0]!.as(limited).hangUp({ id })));
});
