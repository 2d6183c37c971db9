import { pjsipObjectsOf } from './trunk-declaration';

test('a trunk without a server is left to the configuration of Asterisk', () => {
  expect(pjsipObjectsOf({ name: 'trunk-test', format: 'e164' })).toEqual([]);
});

test('a minimal trunk: no password, no inbound calls', () => {
  const objects = pjsipObjectsOf({ name: 'carrier', format: 'e164', server: 'sip.example.com' });
  expect(objects.map(({ type }) => type)).toEqual(['aor', 'endpoint']);
  expect(objects[0]!.fields).toMatchObject({ contact: 'sip:sip.example.com', qualify_frequency: '60' });
  expect(objects[1]!.fields).toMatchObject({ aors: 'carrier', identify_by: 'ip', context: 'from-trunk' });
  expect(objects[1]!.fields).toMatchObject({ rtp_timeout: '60', rtp_timeout_hold: '600' });
  expect(objects[1]!.fields).not.toHaveProperty('outbound_auth');
});

test('a trunk with all fields', () => {
  const objects = pjsipObjectsOf({
    name: 'carrier',
    format: 'e164',
    server: 'sip.example.com:5080',
    transport: 'tcp',
    username: 'me',
    password: 'secret',
    register: true,
    fromUser: 'me',
    fromDomain: 'example.com',
    inbound: ['203.0.113.7', '198.51.100.0/24'],
    qualifySeconds: 0,
    silenceSeconds: 0,
  });
  expect(objects.map(({ type }) => type)).toEqual(['auth', 'aor', 'endpoint', 'identify', 'registration']);
  const [auth, aor, endpoint, identify, registration] = objects.map(({ fields }) => fields);
  expect(auth).toEqual({ auth_type: 'digest', username: 'me', password: 'secret' });
  expect(aor).toMatchObject({ contact: 'sip:sip.example.com:5080;transport=tcp', qualify_frequency: '0' });
  expect(endpoint).toMatchObject({ outbound_auth: 'carrier', from_user: 'me', from_domain: 'example.com' });
  expect(endpoint).toMatchObject({ rtp_timeout: '0', rtp_timeout_hold: '0' });
  expect(identify).toEqual({ endpoint: 'carrier', match: '203.0.113.7,198.51.100.0/24' });
  expect(registration).toMatchObject({ client_uri: 'sip:me@sip.example.com:5080', contact_user: 'me' });
});
