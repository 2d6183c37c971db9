import { answerTo, headerOf, parseSip, tagOf, userOf } from './sip-message';

const invite = [
  'INVITE sip:1000@127.0.0.1:5070 SIP/2.0',
  'Via: SIP/2.0/UDP 127.0.0.1:5060;branch=z9hG4bK1',
  'Via: SIP/2.0/UDP 127.0.0.1:5061;branch=z9hG4bK2',
  'f: <sip:5511@acme>;tag=theirs',
  'To: <sip:1000@acme>',
  'Call-ID: abc',
  'CSeq: 7 INVITE',
  '',
  'v=0\r\n',
].join('\r\n');

test('a request is read, short names included', () => {
  const message = parseSip(invite)!;
  expect(message).toMatchObject({ method: 'INVITE', uri: 'sip:1000@127.0.0.1:5070', body: 'v=0\r\n' });
  expect(message.headers.get('via')).toHaveLength(2);
  expect(tagOf(headerOf(message, 'from'))).toBe('theirs');
  expect(userOf(headerOf(message, 'to'))).toBe('1000');
});

test('an answer copies the headers of its request and adds its tag once', () => {
  const answer = parseSip(answerTo(parseSip(invite)!, { status: 200, reason: 'OK', tag: 'ours', sdp: 'v=0\r\n' }))!;
  expect(answer).toMatchObject({ status: 200, body: 'v=0\r\n' });
  expect(answer.headers.get('via')).toEqual(parseSip(invite)!.headers.get('via'));
  expect(headerOf(answer, 'to')).toBe('<sip:1000@acme>;tag=ours');
  expect(headerOf(answer, 'cseq')).toBe('7 INVITE');
  const within = parseSip(invite.replace('To: <sip:1000@acme>', 'To: <sip:1000@acme>;tag=ours'))!;
  expect(headerOf(parseSip(answerTo(within, { status: 200, reason: 'OK', tag: 'x' }))!, 'to')).toMatch(/tag=ours$/);
});

test('a message that is not SIP is undefined', () => {
  expect(parseSip('\r\n\r\n')).toBeUndefined();
});
