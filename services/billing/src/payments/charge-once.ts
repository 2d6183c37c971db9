import { setTimeout as delay } from 'node:timers/promises';
import { conflict } from '@sabia/service-kit/errors';
import { answerOf } from '@sabia/service-kit/idempotency';
import type { IdempotencyClaim } from '@sabia/service-kit/idempotency';
import type { Charge } from '../domain/charge';
import { findCharge } from '../storage/charges';
import { findKeptCharge } from '../storage/idempotency-keys';
import type { Collection } from './collection';

/** A charge requested with an idempotency key; see docs/decisions/0010-idempotency-in-the-transaction.md. */
export interface ChargeClaim extends IdempotencyClaim {
  /** The response for the charge and for every repetition. */
  encode: (charge: Charge) => Uint8Array;
}

const lookAgainMs = 100;
const patienceMs = 3_000;

/**
 * The response to an earlier request with the same key; undefined when there was none. Waits while the payment provider is
 * processing that request, because a second charge would be refused.
 */
export async function recallCharge(
  { database, now }: Pick<Collection, 'database' | 'now'>,
  accountId: number,
  claim: ChargeClaim,
): Promise<Uint8Array | undefined> {
  for (let waited = 0; ; waited += lookAgainMs) {
    const kept = await findKeptCharge(database, claim.name, now());
    if (kept === undefined) {
      return undefined;
    }
    const { fingerprint, answer, chargeId } = kept;
    const bytes = answerOf(claim, { fingerprint, answer: answer ?? Buffer.alloc(0) });
    if (answer !== null) {
      return bytes;
    }
    // A notification has told of its payment, though the request that created it never returned.
    const charge = await findCharge(database, accountId, chargeId);
    if (charge !== undefined) {
      return claim.encode(charge);
    }
    if (waited >= patienceMs) {
      throw conflict('IDEMPOTENCY_IN_PROGRESS', 'A request with this Idempotency-Key is still in progress.');
    }
    await delay(lookAgainMs);
  }
}
