import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { createSenhaVault } from './senha-vault';

const key = (id: string) => ({ id, bytes: randomBytes(32) });
const first = key('2024');
const second = key('2025');

test('opens what it has sealed, whatever it is', () => {
  const vault = createSenhaVault([first]);
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 1 }), (senha, accountId) => {
      expect(vault.open(accountId, vault.seal(accountId, senha))).toBe(senha);
    }),
  );
});

test('the same senha never looks the same twice, nor like itself', () => {
  const vault = createSenhaVault([first]);
  const one = vault.seal(1, 'segredo-numero-1');
  const two = vault.seal(1, 'segredo-numero-1');
  expect(one.senhaSealed.equals(two.senhaSealed)).toBe(false);
  expect(one.senhaSealed.includes('segredo-numero-1')).toBe(false);
});

test('seals with the first key and opens with any', () => {
  const old = createSenhaVault([first]).seal(1, 'segredo-numero-1');
  const rotated = createSenhaVault([second, first]);
  expect(rotated.open(1, old)).toBe('segredo-numero-1');
  expect(rotated.seal(1, 'segredo-numero-1').senhaKeyId).toBe('2025');
});

test('says which key is missing', () => {
  const sealed = createSenhaVault([first]).seal(1, 'segredo-numero-1');
  expect(() => createSenhaVault([second]).open(1, sealed)).toThrow(/key "2024", which EXTENSION_KEYS does not hold/);
});

test('says when a key is not the one it is named after', () => {
  const sealed = createSenhaVault([first]).seal(1, 'segredo-numero-1');
  const impostor = createSenhaVault([{ id: '2024', bytes: second.bytes }]);
  expect(() => impostor.open(1, sealed)).toThrow(/does not open with key "2024" of EXTENSION_KEYS/);
});

test('a ciphertext opens neither in another account nor when altered nor when cut short', () => {
  const vault = createSenhaVault([first]);
  const sealed = vault.seal(1, 'segredo-numero-1');
  expect(() => vault.open(2, sealed)).toThrow(/does not open/);
  const altered = Buffer.from(sealed.senhaSealed);
  altered[14]! ^= 1;
  expect(() => vault.open(1, { ...sealed, senhaSealed: altered })).toThrow(/does not open/);
  expect(() => vault.open(1, { ...sealed, senhaSealed: sealed.senhaSealed.subarray(0, 10) })).toThrow(/does not open/);
});
