import { randomBytes } from 'node:crypto';
import { loadConfig } from './config';

const key = randomBytes(32).toString('base64');
const other = randomBytes(32).toString('base64');
const env = {
  DATABASE_URL: 'postgres://x@localhost/sabia',
  NATS_URL: 'nats://localhost:4222',
  EXTENSION_KEYS: `k1:${key}`,
};

const complaint = (EXTENSION_KEYS: string): string => {
  try {
    loadConfig({ ...env, EXTENSION_KEYS });
    return '';
  } catch (error) {
    return (error as Error).message;
  }
};

test('the keys keep their order', () => {
  expect(loadConfig({ ...env, EXTENSION_KEYS: `k2:${other}, k1:${key}` }).senhaKeys).toEqual([
    { id: 'k2', bytes: Buffer.from(other, 'base64') },
    { id: 'k1', bytes: Buffer.from(key, 'base64') },
  ]);
});

test.each([
  ['nothing', '', /EXTENSION_KEYS is required/],
  ['a key without an id', key, /id of key 1/],
  ['an id without a key', 'k1:', /key "k1" is not 32 bytes in base64/],
  ['a short key', `k1:${key},k2:${key.slice(0, 20)}`, /key "k2" is not 32 bytes in base64/],
  ['a key that is no base64', `k1:${'!'.repeat(44)}`, /key "k1" is not 32 bytes in base64/],
  ['the same id twice', `k1:${key},k1:${other}`, /key "k1" is there twice/],
  ['a comma at the end', `k1:${key},`, /id of key 2/],
])('%s is refused by name, and no key is repeated', (_what, value, message) => {
  expect(complaint(value)).toMatch(message);
  expect(complaint(value)).not.toContain(key.slice(0, 12));
});

test('numbers without a country code are Brazilian unless configured otherwise', () => {
  expect(loadConfig(env).phoneCountry).toBe('BR');
  expect(loadConfig({ ...env, PHONE_COUNTRY: 'PT' }).phoneCountry).toBe('PT');
  expect(() => loadConfig({ ...env, PHONE_COUNTRY: 'Brasil' })).toThrow(/PHONE_COUNTRY/);
});

test('STUN and TURN servers of web phones', () => {
  const servers = '[{"urls":"stun:stun.example.com:3478"},{"urls":["turns:turn.example.com"]}]';
  const load = (ICE_SERVERS: string, TURN_SECRET?: string) => loadConfig({ ...env, ICE_SERVERS, TURN_SECRET }).ice;
  expect(loadConfig(env).ice).toEqual({ servers: [], credentialSeconds: 43_200 });
  expect(load(servers, 'a secret of TURN')).toMatchObject({
    servers: [{ urls: ['stun:stun.example.com:3478'] }, { urls: ['turns:turn.example.com'] }],
    turnSecret: 'a secret of TURN',
  });
  expect(() => load(servers)).toThrow(/TURN_SECRET is required/);
  for (const wrong of [
    'stun:a',
    '{}',
    '[{"urls":["http://a"]}]',
    '[{"urls":[]}]',
    '[{"urls":"turn:a","password":"p"}]',
  ]) {
    expect(() => load(wrong)).toThrow(/ICE_SERVERS is not valid: expected a JSON array/);
  }
});

test('the addresses at which desk phones register', () => {
  const load = (SIP_PUBLIC_ADDRESSES?: string) => loadConfig({ ...env, SIP_PUBLIC_ADDRESSES }).sipServers;
  expect(load()).toEqual([]);
  expect(load('sip:SIP.example.com:5070;transport=tcp, sip:sip.example.com;transport=tls,sip:[2001:db8::1]')).toEqual([
    { host: 'sip.example.com', port: 5070, transport: 'tcp' },
    { host: 'sip.example.com', port: 5061, transport: 'tls' },
    { host: '[2001:db8::1]', port: 5060, transport: 'udp' },
  ]);
  for (const wrong of ['sip.example.com', 'sip:a:0', 'sip:a:65536', 'sip:a;transport=ws', 'sip:a b', 'sip:a,']) {
    expect(() => load(wrong)).toThrow(/SIP_PUBLIC_ADDRESSES is not valid: expected addresses/);
  }
});
