import { createHash } from 'node:crypto';
import { unprocessable } from './errors';
import type { RequestScope } from './request-scope';

/** Identifies a request that must take effect only once; see docs/decisions/0010-idempotency-in-the-transaction.md. */
export interface IdempotencyClaim {
  /** Hash of rpc, user or operator, and key; the key itself is not kept. */
  name: Buffer;
  /** Hash of the request: the same key with another request is a mistake of the client. */
  fingerprint: Buffer;
}

export interface KeptAnswer {
  fingerprint: Buffer;
  /** The response message, encoded. */
  answer: Buffer;
}

/** How long a repetition gets the response to the first request. */
export const idempotencyKeptMs = 24 * 60 * 60 * 1000;

/** Undefined: the request has no key. */
export function claimOf(
  { idempotencyKey, caller, rpc }: Pick<RequestScope, 'idempotencyKey' | 'caller' | 'rpc'>,
  request: Uint8Array,
): IdempotencyClaim | undefined {
  if (idempotencyKey === undefined || caller === undefined) {
    return undefined;
  }
  return {
    name: createHash('sha256')
      .update(JSON.stringify([rpc, caller.operator?.uuid ?? caller.userId, idempotencyKey]))
      .digest(),
    fingerprint: createHash('sha256').update(request).digest(),
  };
}

/** The response to the first request. */
export function answerOf(claim: IdempotencyClaim, kept: KeptAnswer): Buffer {
  if (!kept.fingerprint.equals(claim.fingerprint)) {
    throw unprocessable('IDEMPOTENCY_KEY_REUSED', 'This Idempotency-Key was used with a different request.');
  }
  return kept.answer;
}
