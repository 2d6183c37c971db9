import { openCallRoom, type CallRoom, type PhoneAccount } from '../src/call-room';
import { eventually } from '../src/eventually';
import { lasting } from '../src/lasting';
import { testStack } from '../src/test-stack';
import { WebPhone } from '../src/web-phone/web-phone';
import { expectEnding, expectRecording, type Ending } from './support/call-checks';

const { sip, testNumbers } = testStack();
const echo = testNumbers.answer.replace(/..$/, '08');
const hangsUpAfter = (seconds: number) => testNumbers.hangup.replace(/..$/, String(seconds).padStart(2, '0'));

let room: CallRoom;
let account: PhoneAccount;
let phone: WebPhone;

beforeAll(async () => {
  room = await openCallRoom(testStack());
  account = await room.addExtension();
  phone = await WebPhone.start({ ...account, url: sip?.ws ?? '' });
  await phone.waitRegistered();
});

afterAll(async () => {
  await phone?.stop();
  await room?.close();
});

const clearing: Ending = { cause: 'NORMAL_CLEARING', code: '16', answered: true };

/** Audio is sent and received, and the received audio is not silent. */
const talks = () =>
  eventually(async () => {
    const rtp = await phone.rtp();
    if (rtp.sent > 50 && rtp.received > 50 && rtp.energy > 0.001) return true;
    throw new Error(`too little audio so far: ${JSON.stringify(rtp)}`);
  });

interface WebOutcome extends Ending {
  called: string;
  meanwhile?: (id: string) => Promise<unknown>;
  seconds?: number;
}

const outcomes: Record<string, WebOutcome> = {
  'hung up over the API, after what was said came back': {
    ...{ ...clearing, called: echo },
    async meanwhile(id) {
      await talks();
      expect(await room.hangUp(id)).toBe(200);
    },
  },
  'hung up by the callee': { ...clearing, called: hangsUpAfter(6), seconds: 6, meanwhile: talks },
  'hung up by the caller': {
    ...{ ...clearing, called: testNumbers.answer },
    async meanwhile() {
      await talks();
      await phone.hangup();
    },
  },
  busy: { cause: 'USER_BUSY', code: '17', answered: false, called: testNumbers.busy },
  rejected: { cause: 'CALL_REJECTED', code: '21', answered: false, called: testNumbers.reject },
};

test.each(Object.keys(outcomes))('a call of a browser is %s', async (name) => {
  const { called, meanwhile, seconds, ...ending } = outcomes[name]!;
  await phone.forget();
  const id = await room.place(account.ramal, called);
  await meanwhile?.(id);
  const call = await expectEnding(room, id, { ...ending, from: account.ramal, to: called });
  if (seconds !== undefined) expect(call.duration).toEqual(lasting(seconds));
  if (ending.answered) await expectRecording(call);
  // The browser learns of the end from either side.
  await phone.waitFor('ended');
});
