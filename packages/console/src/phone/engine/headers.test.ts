import { causeOfReason } from './causes';
import { readInvitation } from './invitation';

const autoAnswer = { header: 'Call-Info', contains: 'answer-after=0' };
const headers = (all: Record<string, string>) => ({ getHeader: (name: string) => all[name] });

test('the caller’s end of a call that was placed over the API is told from a call for this phone', () => {
  const placed = headers({
    'Call-Info': '<sip:localhost>;answer-after=0',
    'X-Sabia-Call': ' 0190-1 ',
    'X-Sabia-Leg': '7',
  });
  expect(readInvitation(placed, autoAnswer)).toEqual({ callId: '0190-1', leg: 7, isOwnCall: true });
  expect(readInvitation(headers({ 'X-Sabia-Call': '0190-2' }), autoAnswer)).toEqual({
    callId: '0190-2',
    leg: undefined,
    isOwnCall: false,
  });
  expect(readInvitation(headers({}), autoAnswer)).toEqual({ callId: undefined, leg: undefined, isOwnCall: false });
});

test.each([
  ['Q.850;cause=17', 'USER_BUSY'],
  ['Q.850 ; text="x" ; cause = 34', 'NORMAL_CIRCUIT_CONGESTION'],
  ['Q.850;cause=99', 'NORMAL_UNSPECIFIED'],
  ['SIP;cause=200', 'NORMAL_CLEARING'],
  [undefined, 'NORMAL_CLEARING'],
])('the reason %s', (reason, cause) => {
  expect(causeOfReason(reason)).toBe(cause);
});
