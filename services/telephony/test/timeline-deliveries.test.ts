import { ErrorKind } from '@sabia/protos/sabia/api/v1/error';
import { CallDelivery } from '@sabia/protos/sabia/webhook/v1/messages';
import { refusal } from '@sabia/testkit/refused-rpc';
import { newAccount, numbers, openStage, whenCall } from './stage';
import type { Stage } from './stage';

let stage: Stage;

beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage?.close());

const kindsOf = (entries: { kind: string }[]): string[] => entries.map(({ kind }) => kind);

test('the deliveries of a call name their integration, by call id and dial id, and are those of the account', async () => {
  const caller = newAccount(stage);
  const replica = await stage.start();
  const { id: dialId } = await replica.as(caller).dial({ extension: '1000', phone: numbers.busy, metadata: undefined });
  const { id } = (await replica.as(caller).getCall({ id: dialId })).call!;
  const delivery = { id: 'd', eventType: 'channel-create', status: 'delivered', payload: '{"id":1}' };
  const integration = { id: 7, gateway: 'crm', url: 'https://crm.example.com/hook' };
  const { gateway, url } = integration;
  stage.neighbours.deliveries.set(id, [CallDelivery.fromPartial({ integrationId: 7, gateway, url, delivery })]);
  for (const each of [id, dialId]) {
    const { deliveries } = await replica.as(caller).listCallDeliveries({ id: each });
    expect(deliveries).toMatchObject([{ ...delivery, integration }]);
  }
  const unknown = { kind: ErrorKind.NOT_FOUND, code: 'MODEL_NOT_FOUND' };
  expect(await refusal(replica.as(newAccount(stage)).listCallDeliveries({ id }))).toMatchObject(unknown);
  expect(await refusal(replica.as(caller).listCallDeliveries({ id: 'nothing' }))).toMatchObject(unknown);
  await replica.stop();
});

test('a constraint is tried against the newest calls of the account', async () => {
  const caller = newAccount(stage);
  const replica = await stage.start();
  const telephony = replica.as(caller);
  const place = (metadata?: string) =>
    telephony.placeCall({ caller: '1000', called: numbers.busy, extension: '1000', metadata });
  await place('{"too":"old"}');
  const matching = await place('{"team":7}');
  const plain = await place();
  await replica.as(newAccount(stage)).tryConstraint({});
  const { calls, ...counts } = await telephony.tryConstraint({ webhookConstraint: '{"team":7}', limit: 2 });
  expect(counts).toEqual({ tried: 2, matched: 1 });
  expect(calls).toMatchObject([
    { id: plain.id, matches: false, metadata: '{}', from: '1000', to: numbers.busy },
    { id: matching.id, matches: true, metadata: '{"team":7}' },
  ]);
  for (const limit of [0, 101]) {
    expect(await refusal(telephony.tryConstraint({ limit }))).toMatchObject({ codes: { limit: 'range' } });
  }
  await replica.stop();
});

test('the timeline contains deliveries, which are left out while webhook is away', async () => {
  const caller = newAccount(stage);
  const replica = await stage.start();
  const place = { caller: '1000', called: numbers.busy, extension: '1000', metadata: undefined };
  const { id } = await replica.as(caller).placeCall(place);
  const { started_at: startedAt, ended_at: endedAt } = await whenCall(replica.as(caller), id, 'ended');
  const after = (moment: Date | undefined): Date => new Date(moment!.getTime() + 1);
  const delivery = (eventType: string, at: Date): CallDelivery =>
    CallDelivery.fromPartial({
      integrationId: 1,
      gateway: 'crm',
      delivery: { id: eventType, eventType, status: 'delivered', attempts: [{ at, status: 200, latencyMs: 4 }] },
    });
  stage.neighbours.deliveries.set(id, [
    delivery('channel-hangup', after(endedAt)),
    delivery('channel-create', after(startedAt)),
  ]);

  const { entries } = await replica.as(caller).getCallTimeline({ id });
  const times = entries.map(({ at }) => at!.getTime());
  expect(times).toEqual([...times].sort((one, other) => one - other));
  const told = entries.filter(({ kind }) => kind === 'delivery');
  expect(told.map(({ message }) => message)).toEqual([
    'channel-create delivered to "crm"',
    'channel-hangup delivered to "crm"',
  ]);
  expect(entries.at(-1)).toEqual(told[1]);
  expect(JSON.parse(told[1]!.detail!)).toMatchObject({ integrationId: 1, gateway: 'crm', status: 'delivered' });
  await replica.stop();

  const lonely = await stage.start({ webhookAddress: '127.0.0.1:1' });
  try {
    const without = (await lonely.as(caller).getCallTimeline({ id })).entries;
    expect(kindsOf(without)).toEqual([...kindsOf(entries).filter((kind) => kind !== 'delivery'), 'delivery']);
    expect(without.at(-1)!.message).toBe('deliveries are left out: they cannot be read at the moment');
  } finally {
    await lonely.stop();
  }
});
