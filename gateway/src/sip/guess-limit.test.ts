import { Redis } from 'ioredis';
import { createLogger } from '@sabia/service-kit/logging';
import type { RedisConnection } from '../clients/redis';
import { createGuessLimit } from './guess-limit';

const away: RedisConnection = {
  client: new Redis({ lazyConnect: true }),
  firstContact: async () => undefined,
  isAway: () => true,
  report: () => undefined,
  close: () => undefined,
};

test('while Redis is away, each replica counts and remembers for itself', async () => {
  const limit = createGuessLimit(away, createLogger({ name: 'test', level: 'silent' }));
  const extension = '1000@acme.sabia.localhost';
  const home = { address: '192.0.2.1', extension };
  await limit.succeeded(home);
  for (let nth = 0; nth < 19; nth++) await limit.failed({ address: '198.51.100.1', extension });
  expect(await limit.bannedSeconds('198.51.100.1')).toBe(0);
  await limit.failed({ address: '198.51.100.1', extension });
  expect(await limit.bannedSeconds('198.51.100.1')).toBe(600);
  expect(await limit.refuses({ address: '198.51.100.2', extension })).toBe(false);
  for (let nth = 0; nth < 30; nth++) await limit.failed({ address: `203.0.113.${nth}`, extension });
  expect(await limit.refuses({ address: '198.51.100.2', extension })).toBe(true);
  expect(await limit.refuses({ address: '198.51.100.2', extension: '1001@acme.sabia.localhost' })).toBe(false);
  expect(await limit.refuses(home)).toBe(false);
});
