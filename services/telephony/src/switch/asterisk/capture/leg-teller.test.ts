import type { AriChannel } from '../ari-types';
import { createLegTeller } from './leg-teller';
import type { KnownLeg } from './message-book';

const callId = '0192f0c4-0000-7000-8000-000000000001';
const channel = (id: string, sipCallId: string) => ({ id, protocol_id: sipCallId }) as AriChannel;

test('our own legs are known by their names, those that began on the switch once their call exists', () => {
  const told: KnownLeg[] = [];
  const legs = createLegTeller((some) => told.push(...some));
  const tell = () => {
    legs.flush();
    return told.splice(0);
  };
  legs.see(channel(`${callId}-b1`, 'sip-b'));
  legs.see(channel(`${callId}-b1`, 'sip-b'));
  legs.see(channel('1700000000.7', 'sip-a'));
  expect(tell()).toEqual([{ sipCallId: 'sip-b', callId, leg: 'b1', gone: false }]);
  legs.belongs('1700000000.7', callId);
  expect(tell()).toEqual([{ sipCallId: 'sip-a', callId, leg: 'a', gone: false }]);
  legs.see(channel('1700000000.7', 'sip-a'), { gone: true });
  legs.see(channel(`${callId}-a`, ''), { gone: true });
  expect(tell()).toEqual([{ sipCallId: 'sip-a', callId, leg: 'a', gone: true }]);
});

test('so many legs, as after a takeover, are told in messages that NATS takes', () => {
  const told: KnownLeg[][] = [];
  const legs = createLegTeller((some) => told.push(some));
  for (let nth = 0; nth < 1_200; nth += 1) legs.see(channel(`${callId}-b${nth}`, `${nth}`.padStart(255, 'x')));
  legs.flush();
  expect(told.map(({ length }) => length)).toEqual([500, 500, 200]);
  expect(new Set(told.flat().map(({ leg }) => leg)).size).toBe(1_200);
  legs.flush();
  expect(told).toHaveLength(3);
});
