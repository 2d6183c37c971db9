import { createPasswordHasher, owaspParameters } from './password-hasher';

const cheap = { memoryKiB: 64, passes: 1, lanes: 1 };

test('argon2id at the parameters of OWASP', async () => {
  const hasher = createPasswordHasher({ concurrency: 1 });
  const hashed = await hasher.hash('correct horse');
  expect(hashed).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  await expect(hasher.verify(hashed, 'correct horse')).resolves.toBe(true);
  await expect(hasher.verify(hashed, 'wrong horse')).resolves.toBe(false);
});

test('an unknown user matches no password', async () => {
  const hasher = createPasswordHasher({ concurrency: 1, parameters: cheap });
  await hasher.prepare();
  await expect(hasher.verify(undefined, '')).resolves.toBe(false);
});

test('a hash of weaker parameters is replaced', async () => {
  const weak = await createPasswordHasher({ concurrency: 1, parameters: cheap }).hash('correct horse');
  const hasher = createPasswordHasher({ concurrency: 1, parameters: owaspParameters });
  expect(hasher.needsRehash(weak)).toBe(true);
  expect(hasher.needsRehash(await hasher.hash('correct horse'))).toBe(false);
  await expect(hasher.verify(weak, 'correct horse')).resolves.toBe(true);
});

test('a waiting login is checked again before its hash is computed', async () => {
  const hasher = createPasswordHasher({ concurrency: 1, parameters: cheap });
  let isTaken = false;
  const take = async () => void (isTaken = true);
  const refuse = async () => {
    if (isTaken) throw new Error('taken');
  };
  const outcomes = await Promise.allSettled([
    hasher.hash('first', undefined, take),
    hasher.hash('second', undefined, refuse),
    hasher.hash('third'),
  ]);
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
});
