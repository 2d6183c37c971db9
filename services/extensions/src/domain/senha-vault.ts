import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

export interface SenhaKey {
  id: string;
  /** 32 bytes. */
  bytes: Buffer;
}

export interface SealedSenha {
  senhaKeyId: string;
  /** Nonce, ciphertext, tag. */
  senhaSealed: Buffer;
}

export interface SenhaVault {
  readonly currentKeyId: string;
  readonly keyIds: readonly string[];
  seal(accountId: number, senha: string): SealedSenha;
  /** Throws a SenhaKeyError when EXTENSION_KEYS lacks the key or has another key under its name. */
  open(accountId: number, sealed: SealedSenha): string;
}

/** No API client can repair this; an operator must. */
export class SenhaKeyError extends Error {
  override readonly name = 'SenhaKeyError';
}

const algorithm = 'aes-256-gcm';
const nonceLength = 12;
const tagLength = 16;

/** The first key encrypts, all keys decrypt: a rotation puts a new key in front. */
export function createSenhaVault(keys: readonly SenhaKey[]): SenhaVault {
  const [current] = keys;
  if (current === undefined) {
    throw new SenhaKeyError('EXTENSION_KEYS names no key');
  }
  const byId = new Map(keys.map(({ id, bytes }) => [id, bytes]));

  return {
    currentKeyId: current.id,
    keyIds: [...byId.keys()],
    seal(accountId, senha) {
      const nonce = randomBytes(nonceLength);
      const cipher = createCipheriv(algorithm, current.bytes, nonce, { authTagLength: tagLength });
      cipher.setAAD(placeOf(accountId));
      const senhaSealed = Buffer.concat([nonce, cipher.update(senha, 'utf8'), cipher.final(), cipher.getAuthTag()]);
      return { senhaKeyId: current.id, senhaSealed };
    },
    open(accountId, { senhaKeyId, senhaSealed }) {
      const key = byId.get(senhaKeyId);
      if (key === undefined) {
        throw new SenhaKeyError(
          `a senha was encrypted with key "${senhaKeyId}", which EXTENSION_KEYS does not hold: add it behind the others`,
        );
      }
      try {
        const decipher = createDecipheriv(algorithm, key, senhaSealed.subarray(0, nonceLength), {
          authTagLength: tagLength,
        });
        decipher.setAAD(placeOf(accountId));
        decipher.setAuthTag(senhaSealed.subarray(-tagLength));
        const text = decipher.update(senhaSealed.subarray(nonceLength, -tagLength), undefined, 'utf8');
        return text + decipher.final('utf8');
      } catch (cause) {
        throw new SenhaKeyError(
          `a senha does not open with key "${senhaKeyId}" of EXTENSION_KEYS: it is not the key it was encrypted with, or the row was altered`,
          { cause },
        );
      }
    },
  };
}

/** Binds the ciphertext to its account: copied into another account's row it cannot be decrypted. */
function placeOf(accountId: number): Buffer {
  return Buffer.from(`sabia extension senha of account ${accountId}`);
}
