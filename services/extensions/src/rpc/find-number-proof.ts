import { FindNumberProofResponse, NumberProofOutcome } from '@sabia/protos/sabia/extensions/v1/numbers';
import { notFound } from '@sabia/service-kit/errors';
import { triesLeft } from '../domain/number-proof';
import { findProof } from '../storage/number-proofs';
import type { Dependencies, Handler } from './dependencies';

/** For telephony, which knows what became of the call. */
export function findNumberProof({ database }: Dependencies): Handler<'findNumberProof'> {
  return async ({ id, accountId }) => {
    const proof = await findProof(database, { id, accountId });
    if (proof === undefined) {
      throw notFound('proof', id);
    }
    const { number, outcome, createdAt, expiresAt } = proof;
    return FindNumberProofResponse.fromPartial({
      number,
      outcome: outcome === null ? NumberProofOutcome.UNSPECIFIED : NumberProofOutcome[outcome],
      triesLeft: triesLeft(proof),
      createdAt,
      expiresAt,
    });
  };
}
