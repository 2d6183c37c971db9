import { request } from 'undici';
import { openCallRoom, type CallRoom } from '../src/call-room';
import { Softphone } from '../src/softphone/softphone';
import { testStack } from '../src/test-stack';
import { expectEnding, expectRecording } from './support/call-checks';

interface Movement {
  amount: number;
}

const { sip, testNumbers } = testStack();
let room: CallRoom;
let phone: Softphone;

beforeAll(async () => {
  room = await openCallRoom(testStack());
  phone = await Softphone.start({ ...(await room.addExtension()), server: sip?.udp ?? '' });
  await phone.waitRegistered();
});

afterAll(async () => {
  await phone?.stop();
  await room?.close();
});

test('a call is answered, recorded, hung up, priced and in the statement, with one id everywhere', async () => {
  const metadata = { leadId: 7, nested: { a: [1, '2'] } };
  const id = await room.place(phone.options.ramal, testNumbers.answer, metadata);
  await room.when(id, ({ status }) => status === 'answered');
  await phone.waitHeard({ loudness: 300 });
  const hungUp = await room.api().post(`/calls/${id}/hangup`);
  expect(hungUp).toMatchObject({ status: 200, body: { status: 'success', id } });

  const call = await expectEnding(room, id, { cause: 'NORMAL_CLEARING', code: '16', answered: true });
  expect(call.metadata).toEqual(metadata);
  expect(await room.hangUp(id)).toBe(404);

  await expectRecording(call);
  const forged = await request((call.record_url ?? '').replace(/=./, (start) => (start === '=A' ? '=B' : '=A')));
  expect(forged.statusCode).toBe(403);
  await forged.body.dump();

  const { call_price: price } = await room.when(id, ({ call_price }) => call_price !== null);
  expect(price).toBeGreaterThan(0);
  const statement = await room.api().get<{ data: Movement[] }>('/credits/statement?page=1');
  const movements = statement.body.data.filter((movement) => JSON.stringify(movement).includes(id));
  expect(movements.map(({ amount }) => amount)).toEqual([-(price ?? 0)]);
  expect((await room.calls({ 'metadata.leadId': 7 })).map((listed) => listed.id)).toEqual([id]);
});

test('a call is placed with what its extension is at that moment', async () => {
  const { ramal } = phone.options;
  const { id } = (await room.api().sabia.extensions.list({ filter: { where: { ramal } } })).at(0)!;
  for (const last_name of ['Lima', 'Souza', 'Alves']) {
    expect((await room.api().patch('/extensions', { id, last_name })).status).toBe(200);
    const call = await room.place(ramal, testNumbers.busy);
    expect(await room.api().sabia.calls.get(call)).toMatchObject({ last_name });
    await room.when(call, ({ ended_at }) => ended_at !== null);
  }
});
