import { claimIn, verdictIn } from './sip-claim';

const register = (...headers: string[]): string =>
  [
    'REGISTER sip:acme.sabia.localhost SIP/2.0',
    'Via: SIP/2.0/WS x.invalid;branch=z9hG4bK1',
    'Call-ID: abc',
    'CSeq: 2 REGISTER',
    ...headers,
    'Content-Length: 0',
    '',
    '',
  ].join('\r\n');
const digest = 'Digest username="1000", realm="Acme.sabia.localhost", nonce="n", response="r"';
const claim = { extension: '1000@acme.sabia.localhost', transaction: '2 REGISTER abc z9hG4bK1' };

test.each([
  ['as JsSIP writes it', register(`Authorization: ${digest}`)],
  ['for a proxy', register(`Proxy-Authorization: ${digest}`)],
  ['in another case, with blanks', register(`AUTHORIZATION  :   ${digest}`)],
  ['folded', register(`Authorization: Digest username="1000",\r\n realm="acme.sabia.localhost"`)],
  ['without quotes', register('Authorization: Digest username=1000, realm=acme.sabia.localhost')],
  ['with short names of headers', register(`Authorization: ${digest}`).replace('Call-ID', 'i')],
  ['with bare line feeds', register(`Authorization: ${digest}`).replaceAll('\r\n', '\n')],
  ['with bare carriage returns', register(`Authorization: ${digest}`).replaceAll('\r\n', '\r')],
])('finds who somebody claims to be, %s', (_how, text) => {
  expect(claimIn(text)).toEqual(claim);
});

test.each([
  ['a request without credentials', register()],
  ['a keep-alive', '\r\n\r\n'],
  ['an answer', 'SIP/2.0 200 OK\r\nCall-ID: abc\r\nCSeq: 1 INVITE\r\n\r\n'],
  ['an ACK', register(`Authorization: ${digest}`).replaceAll('REGISTER', 'ACK')],
])('%s claims nothing', (_what, text) => {
  expect(claimIn(text)).toBeUndefined();
});

const acknowledgement = register().replaceAll('REGISTER', 'ACK');
test.each([
  ['two requests in one frame', register(`Authorization: ${digest}`) + register()],
  ['a request behind an ACK', acknowledgement + register(`Authorization: ${digest}`)],
  ['two credentials', register(`Authorization: ${digest}`, `Authorization: ${digest}`)],
  ['two names', register(`Authorization: ${digest}, username="1001"`)],
  ['no name', register('Authorization: Digest realm="x"')],
  ['two Call-IDs', register(`Authorization: ${digest}`, 'i: other')],
  ['two CSeqs', register(`Authorization: ${digest}`, 'CSeq: 3 REGISTER')],
  ['two Vias', register(`Authorization: ${digest}`, 'v: SIP/2.0/WS y.invalid;branch=z9hG4bK2')],
  ['two Vias in one', register(`Authorization: ${digest}`).replace('K1', 'K1, SIP/2.0/WS y.invalid;branch=z9hG4bK2')],
  ['no transaction', register(`Authorization: ${digest}`).replace(/CSeq.*\r\n/, '')],
])('%s could be read in more than one way', (_what, text) => {
  expect(claimIn(text)).toBe('ambiguous');
});

const answer = (status: string, ...headers: string[]): string =>
  [
    `SIP/2.0 ${status}`,
    'Via: SIP/2.0/WS x.invalid;rport=5062;received=127.0.0.1;branch=z9hG4bK1',
    'Call-ID: abc',
    'CSeq: 2 REGISTER',
    ...headers,
    '',
    '',
  ].join('\r\n');
test.each([
  ['200 OK', 'proven'],
  ['100 Trying', 'open'],
  ['401 Unauthorized', 'refused'],
  ['403 Forbidden', 'refused'],
  ['400 Bad Request', 'open'],
  ['503 Service Unavailable', 'open'],
])('%s: %s', (status, outcome) => {
  expect(verdictIn(answer(status))).toEqual({ transaction: claim.transaction, outcome });
});

test.each(['INVITE', 'INFO', 'BYE', 'MESSAGE'])('%s may not have been asked for its password: no proof', (method) => {
  expect(verdictIn(answer('200 OK').replace('REGISTER', method))?.outcome).toBe('open');
});

test('a challenge that is too old is no refusal', () => {
  const text = answer('401 Unauthorized', 'WWW-Authenticate: Digest realm="x",stale=true,nonce="n"');
  expect(verdictIn(text)?.outcome).toBe('open');
  expect(verdictIn(register())).toBeUndefined();
});
