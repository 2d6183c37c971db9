import { openCallRoom, type CallRoom } from '../src/call-room';
import { eventually } from '../src/eventually';
import { lasting } from '../src/lasting';
import { Softphone, type SoftphoneOptions } from '../src/softphone/softphone';
import { testStack } from '../src/test-stack';
import { expectEnding, expectRecording, type Ending } from './support/call-checks';

const { sip, testNumbers } = testStack();
/** The softphone's tone, which the echo number sends back. */
const HERTZ = 440;
const echo = testNumbers.answer.replace(/..$/, '08');
const hangsUpAfter = (seconds: number) => testNumbers.hangup.replace(/..$/, String(seconds).padStart(2, '0'));

interface Talk {
  room: CallRoom;
  phone: Softphone;
  id: string;
}

interface Outcome extends Ending {
  called: string;
  answers?: SoftphoneOptions['answers'];
  /** Actions during the call. */
  meanwhile?: (talk: Talk) => Promise<unknown>;
  /** Seconds of conversation, where they are known in advance. */
  seconds?: number;
}

const isAnswered = ({ room, id }: Talk) => room.when(id, ({ status }) => status === 'answered');
const isRinging = ({ room, id }: Talk) =>
  eventually(async () => {
    const { body } = await room.api().get<{ message: string }[]>(`/calls/${id}/timeline`);
    return JSON.stringify(body).includes('destination rings');
  });

const clearing = { cause: 'NORMAL_CLEARING', code: '16', answered: true };
const cancelled = { cause: 'ORIGINATOR_CANCEL', code: '487', answered: false };
const unanswered = { cause: 'NO_ANSWER', code: '19', answered: false };

const outcomes: Record<string, Outcome> = {
  'hung up over the API, after what was said came back': {
    ...{ ...clearing, called: echo },
    async meanwhile(talk) {
      await isAnswered(talk);
      // The tone goes out and back over both legs, so it is heard only if both directions work.
      await eventually(() => (talk.phone.heardTone(HERTZ)?.seconds ?? 0) > 1);
      expect(await talk.room.hangUp(talk.id)).toBe(200);
    },
  },
  'hung up by the callee': { ...clearing, called: hangsUpAfter(3), seconds: 3 },
  'hung up by the caller': {
    ...{ ...clearing, called: testNumbers.answer },
    async meanwhile(talk) {
      await isAnswered(talk);
      await talk.phone.waitHeard({ seconds: 1, loudness: 300 });
      await talk.phone.hangup();
    },
  },
  busy: { cause: 'USER_BUSY', code: '17', answered: false, called: testNumbers.busy },
  rejected: { cause: 'CALL_REJECTED', code: '21', answered: false, called: testNumbers.reject },
  unallocated: { cause: 'UNALLOCATED_NUMBER', code: '1', answered: false, called: testNumbers.unallocated },
  'not answered': { ...unanswered, called: testNumbers.noAnswer },
  'given up by the caller while it rings': {
    ...{ ...cancelled, called: testNumbers.noAnswer },
    async meanwhile(talk) {
      await isRinging(talk);
      await talk.phone.hangup();
    },
  },
  'hung up over the API while it rings': {
    ...{ ...cancelled, called: testNumbers.noAnswer },
    async meanwhile(talk) {
      await isRinging(talk);
      expect(await talk.room.hangUp(talk.id)).toBe(200);
    },
  },
  'not picked up at the softphone': { ...unanswered, called: testNumbers.answer, answers: 'manual' },
  'refused at the softphone': {
    ...{ cause: 'USER_BUSY', code: '17', answered: false, called: testNumbers.answer, answers: 'manual' },
    async meanwhile({ phone }) {
      await phone.waitFor('CALL_INCOMING');
      await phone.hangup();
    },
  },
};

let room: CallRoom;
const phones: Softphone[] = [];
const talks = new Map<string, Promise<Talk>>();

/** Each outcome has its own phone and call, so that none waits for another. */
async function begin({ called, answers, meanwhile }: Outcome): Promise<Talk> {
  const extension = await room.addExtension();
  const phone = await Softphone.start({ ...extension, answers, server: sip?.udp ?? '' });
  phones.push(phone);
  await phone.waitRegistered();
  const talk = { room, phone, id: await room.place(extension.ramal, called, { called, lead: 7 }) };
  await meanwhile?.(talk);
  return talk;
}

beforeAll(async () => {
  room = await openCallRoom(testStack());
  for (const [name, outcome] of Object.entries(outcomes)) talks.set(name, begin(outcome));
  await Promise.allSettled(talks.values());
});

afterAll(async () => {
  await Promise.all(phones.map((phone) => phone.kill()));
  await room?.close();
});

test.each(Object.keys(outcomes))('a call is %s', async (name) => {
  const { seconds, called, ...ending } = outcomes[name]!;
  const { phone, id } = await talks.get(name)!;
  const call = await expectEnding(room, id, { ...ending, from: phone.options.ramal, to: called });
  expect(call.metadata).toEqual({ called, lead: 7 });
  if (!ending.answered) return;

  if (seconds !== undefined) expect(call.duration).toEqual(lasting(seconds));
  const recording = await expectRecording(call);
  // The caller's channel has the tone, the other channel the rest.
  expect(recording.tone(HERTZ)?.seconds).toBeGreaterThan(0.5);
  await phone.waitFor('CALL_CLOSED');
  expect(Math.min(phone.rtp.sent, phone.rtp.received)).toBeGreaterThan(40);
  const priced = await room.when(id, ({ call_price }) => call_price !== null);
  expect(priced.call_price).toBeGreaterThan(0);
});
