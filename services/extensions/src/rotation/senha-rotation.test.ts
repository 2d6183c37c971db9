import { randomBytes } from 'node:crypto';
import { createLogger } from '@sabia/service-kit/logging';
import { unavailable } from '@sabia/service-kit/errors';
import type { Database } from '@sabia/service-kit/postgres/database';
import { eventually } from '@sabia/testkit/eventually';
import { createSenhaVault } from '../domain/senha-vault';
import { createSenhaRotation } from './senha-rotation';

const key = { id: 'k', bytes: randomBytes(32) };
const vault = createSenhaVault([key]);
const away = unavailable('away', 1, Object.assign(new Error('refused'), { code: 'ECONNREFUSED' }));

function rotationOn(query: () => Promise<object[]>) {
  const lines: string[] = [];
  const log = createLogger({ name: 'test', level: 'info', destination: { write: (line) => void lines.push(line) } });
  const rotation = createSenhaRotation({ database: { query } as unknown as Database, vault, log, retryMs: 1 });
  return { rotation, logged: () => lines.join('') };
}

test('starts while the database is away, and checks the keys once it is there', async () => {
  let asked = 0;
  const impostor = createSenhaVault([{ id: 'k', bytes: randomBytes(32) }]).seal(1, 'segredo-numero-1');
  const { rotation, logged } = rotationOn(async () => {
    asked += 1;
    if (asked < 4) {
      throw away;
    }
    return [{ id: 1, accountId: 1, ...impostor }];
  });
  await rotation.start();
  await eventually(() => /does not open with key/.test(logged()), { intervalMs: 1 });
  await rotation.stop();
  expect(asked).toBe(4);
});

test('can be stopped while the database is away, without an error in the log', async () => {
  const { rotation, logged } = rotationOn(() => Promise.reject(away));
  await rotation.start();
  await rotation.stop();
  expect(logged()).toBe('');
});
