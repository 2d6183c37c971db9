import { readReason } from '../domain/reason';
import { describeError } from './failure-text';
import { BlockedAddressError } from './guarded-connector';

const failure = (message: string, code?: string) =>
  Object.assign(new Error(message), code === undefined ? {} : { code });

test.each([
  ['ECONNREFUSED', 'connect ECONNREFUSED 10.1.2.3:80', 'The connection was refused. (ECONNREFUSED)'],
  ['EADDRNOTAVAIL', 'connect EADDRNOTAVAIL 10.1.2.3:80 - Local (10.9.9.9:4711)', 'The request failed. (EADDRNOTAVAIL)'],
  ['EHOSTDOWN', 'connect EHOSTDOWN fd00::17:80', 'The request failed. (EHOSTDOWN)'],
  [
    'ERR_TLS_CERT_ALTNAME_INVALID',
    "Hostname/IP does not match certificate's altnames: IP: 10.1.2.3 is not in the cert's list",
    'The certificate is for another host. (ERR_TLS_CERT_ALTNAME_INVALID)',
  ],
  ['ERR_SSL_WRONG_VERSION_NUMBER', 'C0A8:error:0A00010B', 'The TLS handshake failed. (ERR_SSL_WRONG_VERSION_NUMBER)'],
  [undefined, 'socket of 10.1.2.3 is gone', 'The request failed.'],
])('%s is described without an address', (code, message, text) => {
  expect(describeError(failure(message, code))).toBe(text);
});

test('the failures of several addresses are described once, without the addresses', () => {
  const errors = [
    failure('connect ECONNREFUSED 10.1.2.3:80', 'ECONNREFUSED'),
    failure('connect ETIMEDOUT 10.1.2.4:80'),
  ];
  expect(describeError(new AggregateError(errors, ''))).toBe('The connection was refused. (ECONNREFUSED)');
});

test('every failure has a code of its own', () => {
  const codeOf = (error: unknown) => readReason(describeError(error));
  expect(codeOf(failure('connect ECONNREFUSED 10.1.2.3:80', 'ECONNREFUSED'))?.detail).toEqual({
    error: 'ECONNREFUSED',
  });
  expect(codeOf(failure('odd'))).toEqual({ code: 'REQUEST_BROKEN', detail: {} });
  expect(codeOf(new BlockedAddressError('10.1.2.3'))?.code).toBe('ADDRESS_NOT_PUBLIC');
  expect(codeOf(new BlockedAddressError('crm.test'))).toEqual({
    code: 'HOST_NOT_PUBLIC',
    detail: { host: 'crm.test' },
  });
});
