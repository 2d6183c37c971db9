import type { ContactChange } from '../../../storage/contacts';
import { toRegistration, toRegistrationEvent } from './contact-change';

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

test.each(['sip:x@127.0.0.1:9;transport=ws', 'sip:x@127.0.0.1:9;transport=WSS;ob'])('%s is a browser', (uri) => {
  expect(toRegistrationEvent({ ...added, uri })).toMatchObject({ webrtc: true, contact: uri });
});

test('an endpoint without a domain is not an extension', () => {
  expect(toRegistrationEvent({ ...added, endpoint: 'trunk-x' })).toBeUndefined();
});

test.each([
  ['udp', { transport: 'udp', address: '192.0.2.7' }],
  ['tcp', { transport: 'tcp', address: '192.0.2.7' }],
  ['tls', { transport: 'tls', address: '192.0.2.7' }],
  ['ws', { transport: 'ws' }],
  ['wss', { transport: 'ws' }],
])('a softphone over %s', (transport, expected) => {
  const expiresAt = new Date('2026-01-02T03:09:05Z');
  const contact = { transport, source: '192.0.2.7', userAgent: '', expiresAt };
  expect(toRegistration(contact)).toEqual({ ...expected, userAgent: undefined, expiresAt });
});
