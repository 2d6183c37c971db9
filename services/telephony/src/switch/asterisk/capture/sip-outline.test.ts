import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
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

test.each([
  ['an emoji across the limit', `${'a'.repeat(79)}😀`, 'a'.repeat(79)],
  ['a control character of Unicode', 'Gone\u0085\u200e\ufeff away', 'Gone away'],
  ['bytes that are no text', 'Ocupado \ufffd', 'Ocupado \ufffd'],
  ['letters of any language', 'Não encontrado – 不在', 'Não encontrado – 不在'],
])('a reason is whole, printable text: %s', (_name, sent, kept) => {
  expect(read([`SIP/2.0 480 ${sent}`, ...invite.slice(1)])?.message.reason).toBe(kept);
});

test('what is kept does not keep the message it was read from', () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const heap = () => {
    collect();
    return process.memoryUsage().heapUsed;
  };
  const start = ['SIP/2.0 480 Temporarily Unavailable', ...invite.slice(1, 4)];
  const before = heap();
  const kept = Array.from({ length: 2_000 }, (_, nth) =>
    read([...start, `Call-ID: ${nth}-of-the-same-caller@10.0.0.2`, 'CSeq: 4711 INVITE', `X: ${'x'.repeat(7_000)}`]),
  );
  expect(kept.every((outline) => outline !== undefined)).toBe(true);
  expect((heap() - before) / kept.length).toBeLessThan(1_500);
});

test('a From line of nothing but openings costs no time', () => {
  const begin = process.cpuUsage();
  for (const opening of ['<', '"\\', '"<']) {
    const hostile = [invite[0]!, `From: ${opening.repeat(7_000 / opening.length)}`, ...invite.slice(4)];
    for (let nth = 0; nth < 20; nth += 1) expect(read(hostile)).toBeUndefined();
  }
  expect(process.cpuUsage(begin).user).toBeLessThan(2_000_000);
});
