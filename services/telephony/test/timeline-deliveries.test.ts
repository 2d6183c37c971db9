import { CallDelivery } from '@sabia/protos/sabia/webhook/v1/messages';
import { newAccount, numbers, openStage, whenCall } from './stage';
import type { Stage } from './stage';

let stage: Stage;

beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage?.close());

const kindsOf = (entries: { kind: string }[]): string[] => entries.map(({ kind }) => kind);

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
