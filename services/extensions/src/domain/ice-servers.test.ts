import { createHmac } from 'node:crypto';
import { offerIceServers } from './ice-servers';

const now = new Date('2030-01-01T00:00:00.400Z');
const stun = { urls: ['stun:stun.example.com'] };
const turn = { urls: ['turn:turn.example.com?transport=tcp'] };

test('a TURN server gets a username that ends, and its password under the shared secret', () => {
  const config = { servers: [stun, turn], turnSecret: 'shared', credentialSeconds: 3_600 };
  const username = '1893459600:ana';
  const credential = createHmac('sha1', 'shared').update(username).digest('base64');
  expect(offerIceServers(config, 'ana', now)).toEqual({
    servers: [stun, { ...turn, username, credential }],
    expiresAt: new Date('2030-01-01T01:00:00Z'),
  });
});

test('servers with a password of their own, and STUN servers, are passed on as they are', () => {
  const fixed = { ...turn, username: 'all', credential: 'of them' };
  const config = { servers: [stun, fixed], turnSecret: 'shared', credentialSeconds: 3_600 };
  expect(offerIceServers(config, 'ana', now)).toEqual({ servers: [stun, fixed] });
});
