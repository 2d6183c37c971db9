import { splitMessages } from './sip-stream';

const ringing = 'SIP/2.0 180 Ringing\r\nCall-ID: a\r\nContent-Length: 0\r\n\r\n';
const answer = 'SIP/2.0 200 OK\r\nCall-ID: a\r\nl: 5\r\n\r\nv=0\r\n';

test.each([
  ['one', ringing, [ringing]],
  ['two that were read at once', ringing + answer, [ringing, answer]],
  ['one and the beginning of another', answer + ringing.slice(0, 20), [answer]],
  ['one whose body is not there yet', answer.slice(0, -2), [answer.slice(0, -2)]],
  ['one without a length', 'BYE sip:x SIP/2.0\r\n\r\n', ['BYE sip:x SIP/2.0\r\n\r\n']],
  ['what is no message', 'xyz', ['xyz']],
])('%s', (_what, payload, messages) => {
  expect(splitMessages(Buffer.from(payload)).map(String)).toEqual(messages);
});
