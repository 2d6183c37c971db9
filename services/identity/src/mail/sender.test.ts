import { wasSurelyNotSent } from './sender';

const failure = (fields: object) => Object.assign(new Error('no'), fields);

test.each([
  ['refused by the host', { code: 'ESOCKET', originalCode: 'ECONNREFUSED', syscall: 'connect', command: 'CONN' }],
  ['an unknown host name', { code: 'EDNS', command: 'CONN' }],
  ['no connection in time', { code: 'ETIMEDOUT', timeoutType: 'CONNECT_TIMEOUT', command: 'CONN' }],
  ['no greeting', { code: 'ETIMEDOUT', timeoutType: 'GREETING_TIMEOUT', command: 'CONN' }],
  ['no TLS', { code: 'ETLS', command: 'STARTTLS' }],
  ['a wrong password', { code: 'EAUTH', command: 'AUTH PLAIN', responseCode: 535 }],
  ['missing credentials', { code: 'EAUTH', command: 'API' }],
  ['a receiver who is unknown', { code: 'EENVELOPE', command: 'RCPT TO', responseCode: 550 }],
  ['a text that was refused', { code: 'EMESSAGE', command: 'DATA', responseCode: 451 }],
  ['a server that says goodbye', { code: 'ECONNECTION', command: 'CONN', responseCode: 421 }],
])('%s: the mail was surely not sent', (_what, fields) => {
  expect(wasSurelyNotSent(failure(fields))).toBe(true);
});

test.each([
  ['a lost connection', { code: 'ECONNECTION', command: 'CONN' }],
  ['a reset connection', { code: 'ESOCKET', originalCode: 'ECONNRESET', syscall: 'read', command: 'CONN' }],
  ['silence', { code: 'ETIMEDOUT', timeoutType: 'SOCKET_TIMEOUT', command: 'CONN' }],
  ['no reply to the text', { code: 'EMESSAGE', command: 'DATA' }],
  ['something else', {}],
])('%s: it may have been', (_what, fields) => {
  expect(wasSurelyNotSent(failure(fields))).toBe(false);
});
