import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';
import type { Answer } from '../http/response';

/**
 * What Redis holds: the request's fingerprint while it runs, and its answer afterwards. An answer may contain secrets
 * (the senha of an extension), so it is sealed with a key that is made from the client's own Idempotency-Key,
 * which Redis never sees: the record's name is a hash of it.
 */
export interface IdempotencyNames {
  record: string;
  secret: Buffer;
}

export function namesOf(userId: number, route: string, key: string): IdempotencyNames {
  const digest = (purpose: string): Buffer =>
    createHash('sha256')
      .update(JSON.stringify([purpose, userId, route, key]))
      .digest();
  return { record: `sabia:idempotency:${digest('record').toString('hex')}`, secret: digest('secret') };
}

export type IdempotencyRecord = { fingerprint: string } & ({ owner: string } | { sealed: string });

export type StoredAnswer = Pick<Answer, 'status' | 'body'>;

export function fingerprintOf(path: string, request: Buffer): string {
  return createHash('sha256').update(path).update('\0').update(request).digest('base64');
}

const algorithm = 'aes-256-gcm';
const IV_BYTES = 12;
const TAG_BYTES = 16;

export function seal(answer: StoredAnswer, secret: Buffer): string {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv(algorithm, secret, iv);
  const text = JSON.stringify({ status: answer.status, body: answer.body?.toString() });
  const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return Buffer.concat([iv, cipher.getAuthTag(), sealed]).toString('base64');
}

export function unseal(text: string, secret: Buffer): StoredAnswer {
  const bytes = Buffer.from(text, 'base64');
  const decipher = createDecipheriv(algorithm, secret, bytes.subarray(0, IV_BYTES));
  decipher.setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
  const opened = Buffer.concat([decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES)), decipher.final()]);
  return JSON.parse(opened.toString('utf8')) as StoredAnswer;
}
