import { outlineOf } from './sip-outline';

const read = (lines: string[]) => outlineOf(Buffer.from(`${lines.join('\r\n')}\r\n\r\nv=0\r\nCSeq: 9 BYE\r\n`));

const invite = [
  'INVITE sip:1000@10.0.0.1;transport=ws SIP/2.0',
  'Via: SIP/2.0/UDP 10.0.0.2;rport;branch=z9hG4bK1',
  'From: "Ana;tag=no" <sip:551140028922@10.0.0.2>;tag=0123456789abcdef-and-more',
  'To: <sip:1000@10.0.0.1>',
  'Call-ID: d5c9@10.0.0.2',
  'CSeq: 4711 INVITE',
  'Authorization: Digest username="1000", response="0123"',
];

test('of a request: method, CSeq and the end of the tag, and nothing of body, names or credentials', () => {
  expect(read(invite)).toEqual({
    callId: 'd5c9@10.0.0.2',
    message: { method: 'INVITE', cseq: '4711 INVITE', tag: '9abcdef-and-more' },
  });
});

test('of a response, with short names of headers', () => {
  expect(
    read(['SIP/2.0 486 Busy\u0000 Here', 'f: <sip:1@2>;tag=abc', 't: <sip:3@4>;tag=def', 'i: x1', 'CSeq:2  INVITE']),
  ).toEqual({ callId: 'x1', message: { status: 486, reason: 'Busy Here', cseq: '2 INVITE', tag: 'abc' } });
  expect(read(['SIP/2.0 200 ', ...invite.slice(1)])?.message).toMatchObject({ status: 200, reason: '' });
});

test.each([
  ['a registration', ['REGISTER sip:example SIP/2.0', ...invite.slice(1, 5), 'CSeq: 1 REGISTER']],
  ['the response to OPTIONS', ['SIP/2.0 200 OK', ...invite.slice(1, 5), 'CSeq: 1 OPTIONS']],
  ['a message without Call-ID', [...invite.slice(0, 4), 'CSeq: 1 INVITE']],
  ['a message whose CSeq stands in the body', invite.slice(0, 5)],
  ['a keep-alive', ['', '']],
])('is left out: %s', (_name, lines) => {
  expect(read(lines)).toBeUndefined();
});
