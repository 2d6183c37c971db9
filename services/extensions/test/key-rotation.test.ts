import { eventually } from '@sabia/testkit/eventually';
import { create, newAccount, openHome, testKey } from './harness';
import type { Home } from './harness';

let home: Home;

beforeEach(async () => {
  home = await openHome();
});

afterEach(() => home?.close());

const [first, second] = [testKey('2024'), testKey('2025')];

const keysInUse = async (): Promise<Record<string, number>> => {
  const rows = await home.sql.query<{ key: string; count: number }>(
    'SELECT senha_key_id AS key, count(*) AS count FROM extensions GROUP BY 1 ORDER BY 1',
  );
  return Object.fromEntries(rows.map(({ key, count }) => [key, count]));
};

test('a new key in front seals anew what the old one sealed; then the old one can go', async () => {
  const { admin } = newAccount();
  const before = await home.start({ keys: [first] });
  const count = 450;
  await Promise.all(
    Array.from({ length: count }, (_, index) =>
      create(before.as(admin), { ramal: String(2000 + index), senha: `segredo-numero-${index}` }),
    ),
  );
  await before.stop();
  expect(await keysInUse()).toEqual({ 2024: count });

  const during = await home.start({ keys: [second, first] });
  await eventually(async () => (await keysInUse())['2024'] === undefined);
  await during.stop();
  expect(await keysInUse()).toEqual({ 2025: count });

  const after = await home.start({ keys: [second] });
  const { extensions } = await after.as(admin).listExtensions({});
  await after.stop();
  expect(extensions.map(({ senha }) => senha).sort()).toEqual(
    Array.from({ length: count }, (_, index) => `segredo-numero-${index}`).sort(),
  );
});

test('a key that is behind the first one opens but does not seal', async () => {
  const { admin } = newAccount();
  const service = await home.start({ keys: [first, second] });
  await create(service.as(admin), { ramal: '2000' });
  await service.stop();
  expect(await keysInUse()).toEqual({ 2024: 1 });
});

test('a missing key and a wrong key are told at the start, by name, and never quoted', async () => {
  const { admin } = newAccount();
  const service = await home.start({ keys: [first] });
  await create(service.as(admin), { ramal: '2000' });
  await service.stop();

  await expect(home.start({ keys: [second] })).rejects.toThrow(/key "2024", which EXTENSION_KEYS does not hold/);
  const impostor = { id: '2024', bytes: second.bytes };
  await expect(home.start({ keys: [impostor] })).rejects.toThrow(/does not open with key "2024" of EXTENSION_KEYS/);
  await expect(home.start({ keys: [second, impostor] })).rejects.not.toThrow(second.bytes.toString('base64'));
});

test('a lost key does not prevent setting a new senha', async () => {
  const { admin } = newAccount();
  const before = await home.start({ keys: [first] });
  const { id } = await create(before.as(admin), { ramal: '2000' });
  const after = await home.start({ keys: [first, second] });
  await home.sql.query(`UPDATE extensions SET senha_sealed = '\\x00' WHERE id = $1`, [id]);
  await expect(after.as(admin).getExtension({ id })).rejects.toThrow(/internal error/);
  expect(after.logged()).toMatch(/does not open with key/);
  const { extension } = await after.as(admin).upsertExtension({ id, senha: 'segredo-numero-2' });
  expect(extension!.senha).toBe('segredo-numero-2');
  await Promise.all([before.stop(), after.stop()]);
});
