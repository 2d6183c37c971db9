import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

export interface SecretKey {
  id: string;
  /** 32 bytes. */
  bytes: Buffer;
}

export interface SealedSecret {
  /** Null: not encrypted. */
  keyId: string | null;
  bytes: Buffer;
}

export interface SecretVault {
  /** The id of the key that seals; null without keys. */
  readonly keyId: string | null;
  seal(accountId: number, secret: Buffer): SealedSecret;
  /** Throws when WEBHOOK_KEYS lacks the key or holds another under its name. */
  open(accountId: number, sealed: SealedSecret): Buffer;
}

const algorithm = 'aes-256-gcm';
const nonceLength = 12;
const tagLength = 16;

/** The first key seals, all of them open. Without keys secrets are stored unencrypted. */
export function createSecretVault(keys: readonly SecretKey[]): SecretVault {
  const [current] = keys;
  const byId = new Map(keys.map(({ id, bytes }) => [id, bytes]));
  return {
    keyId: current?.id ?? null,
    seal(accountId, secret) {
      if (current === undefined) {
        return { keyId: null, bytes: secret };
      }
      const nonce = randomBytes(nonceLength);
      const cipher = createCipheriv(algorithm, current.bytes, nonce, { authTagLength: tagLength });
      cipher.setAAD(placeOf(accountId));
      return {
        keyId: current.id,
        bytes: Buffer.concat([nonce, cipher.update(secret), cipher.final(), cipher.getAuthTag()]),
      };
    },
    open(accountId, { keyId, bytes }) {
      if (keyId === null) {
        return bytes;
      }
      const key = byId.get(keyId);
      if (key === undefined) {
        throw new Error(`a webhook secret was encrypted with key "${keyId}", which WEBHOOK_KEYS does not hold`);
      }
      const decipher = createDecipheriv(algorithm, key, bytes.subarray(0, nonceLength), { authTagLength: tagLength });
      decipher.setAAD(placeOf(accountId));
      decipher.setAuthTag(bytes.subarray(-tagLength));
      return Buffer.concat([decipher.update(bytes.subarray(nonceLength, -tagLength)), decipher.final()]);
    },
  };
}

/** Bound to its account: a ciphertext copied into another account's row does not open. */
function placeOf(accountId: number): Buffer {
  return Buffer.from(`sabia webhook secret of account ${accountId}`);
}
