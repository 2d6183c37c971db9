import type { ContactChange } from '../../../storage/contacts';
import { addressOf, toRegistration, toRegistrationEvent } from './contact-change';

const added: ContactChange = {
  id: 1,
  happened_at: new Date('2026-01-02T03:04:05Z'),
  change: 'added',
  endpoint: '1000@acme.sabia.localhost',
  uri: 'sip:1000@192.0.2.7:5060',
  user_agent: 'baresip v1.1.0',
  others: false,
};

test('an added contact is a registration, whether or not it displaces another', () => {
  const expected = {
    kind: 'registered',
    ramal: '1000',
    domain: 'acme.sabia.localhost',
    at: added.happened_at,
    contact: 'sip:1000@192.0.2.7:5060',
    userAgent: 'baresip v1.1.0',
    webrtc: false,
  };
  expect(toRegistrationEvent(added)).toEqual(expected);
  expect(toRegistrationEvent({ ...added, others: true })).toEqual(expected);
});

test.each([
  [false, 'unregistered'],
  [true, 'displaced'],
])('a contact removed while there is another one (%s) is %s', (others, kind) => {
  expect(toRegistrationEvent({ ...added, change: 'removed', others })?.kind).toBe(kind);
});

test.each(['sip:x@127.0.0.1:9^3Btransport=ws', 'sip:x@127.0.0.1:9^3Btransport=WSS^3Bob'])('%s is a browser', (uri) => {
  expect(toRegistrationEvent({ ...added, uri })).toMatchObject({ webrtc: true, contact: uri.replaceAll('^3B', ';') });
});

test('an endpoint without a domain is not an extension', () => {
  expect(toRegistrationEvent({ ...added, endpoint: 'trunk-x' })).toBeUndefined();
});

test.each([
  ['sip:1000@192.0.2.7:5060', '192.0.2.7'],
  ['sip:192.0.2.7', undefined],
  ['sip:x@192.0.2.7^3Btransport=WS^3Bob', '192.0.2.7'],
  ['sip:x@[2001:db8::7]:5060^3Btransport=tcp', '2001:db8::7'],
  ['sip:x@phone.invalid:5060', undefined],
])('%s sends from %s', (uri, address) => {
  expect(addressOf(uri)).toBe(address);
});

test.each([
  ['sip:1000@192.0.2.7:5060', { transport: 'udp', address: '192.0.2.7' }],
  ['sip:1000@192.0.2.7:5060^3Btransport=TCP', { transport: 'tcp', address: '192.0.2.7' }],
  ['sip:1000@192.0.2.7:5061^3Btransport=tls', { transport: 'tls', address: '192.0.2.7' }],
  // The address of the gateway says nothing about a web phone.
  ['sip:x@192.0.2.7^3Btransport=wss^3Bob', { transport: 'ws', address: undefined }],
])('%s is registered over %s', (uri, expected) => {
  const expiresAt = new Date('2026-01-02T03:09:05Z');
  expect(toRegistration({ uri, userAgent: '', expiresAt })).toEqual({ ...expected, userAgent: undefined, expiresAt });
});
