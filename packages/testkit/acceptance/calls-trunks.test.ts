import { spareCarrier } from '../src/config';
import { openCallRoom, type CallRoom } from '../src/call-room';
import { eventually } from '../src/eventually';
import { headerOf, userOf } from '../src/softphone/sip-message';
import { SippCarrier } from '../src/softphone/sipp-carrier';
import { answersWhoKnows } from '../src/softphone/sipp-scenarios';
import { Softphone } from '../src/softphone/softphone';
import { testStack } from '../src/test-stack';
import { expectEnding, expectRecording } from './support/call-checks';

const { sip, testNumbers } = testStack();
const noLineFree = testNumbers.answer.replace(/..$/, '07');
let room: CallRoom;
let phone: Softphone;
let carrier: SippCarrier;

beforeAll(async () => {
  room = await openCallRoom(testStack());
  phone = await Softphone.start({ ...(await room.addExtension()), server: sip?.udp ?? '' });
  await phone.waitRegistered();
  carrier = await SippCarrier.start(answersWhoKnows(spareCarrier()), spareCarrier());
});

afterAll(async () => {
  await phone?.stop();
  await carrier?.stop();
  await room?.close();
});

test('a call that the first trunk has no line for goes over the next one of TRUNKS, which asks for a password', async () => {
  const id = await room.place(phone.options.ramal, noLineFree);
  await room.when(id, ({ status }) => status === 'answered');
  // The carrier gives back what it hears.
  await eventually(() => (phone.heardTone(440)?.seconds ?? 0) > 1);
  expect(await room.hangUp(id)).toBe(200);
  const call = await expectEnding(room, id, { cause: 'NORMAL_CLEARING', code: '16', answered: true, to: noLineFree });
  await expectRecording(call);

  const invite = await eventually(() => carrier.requests('INVITE').find((each) => each.headers.has('authorization')));
  expect(userOf(invite.uri ?? '')).toBe(noLineFree.replace(/^55/, '0'));
  expect(userOf(headerOf(invite, 'from'))).toBe(spareCarrier().callerId.replace(/^55/, '0'));
});
