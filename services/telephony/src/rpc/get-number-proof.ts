import { NumberProofOutcome } from '@sabia/protos/sabia/extensions/v1/numbers';
import type { FindNumberProofResponse } from '@sabia/protos/sabia/extensions/v1/numbers';
import {
  GetNumberProofResponse,
  NumberProofFailure,
  NumberProofStatus,
} from '@sabia/protos/sabia/telephony/v1/number_proofs';
import { notFound } from '@sabia/service-kit/errors';
import { requireCaller } from '@sabia/service-kit/grpc/handler';
import { failureOfOpenProof, MOST_TRIES } from '../domain/number-proof';
import type { ProofFailure } from '../domain/number-proof';
import type { Call } from '../domain/call';
import { findCall, isUuid } from '../storage/calls';
import type { Dependencies, Handler } from './dependencies';

/** Extensions knows what was keyed in, and this service what became of the call. */
export function getNumberProof({ database, extensions, now }: Dependencies): Handler<'getNumberProof'> {
  return async ({ id }, context) => {
    const { accountId } = requireCaller(context);
    // The call first: a code that is keyed in at its very end counts.
    const call = await findCall(database, accountId, id);
    const proof = isUuid(id) ? await extensions.findProof({ id, accountId }) : undefined;
    if (proof === undefined) {
      throw notFound('proof', id);
    }
    const { number, triesLeft, createdAt, expiresAt } = proof;
    return GetNumberProofResponse.fromPartial({
      proof: { id, number, triesLeft, createdAt, expiresAt, ...stateOf(proof, call, now()) },
    });
  };
}

function stateOf(
  { outcome, triesLeft, expiresAt }: FindNumberProofResponse,
  call: Call | undefined,
  now: Date,
): { status: NumberProofStatus; failure?: NumberProofFailure } {
  if (outcome === NumberProofOutcome.PROVEN) {
    return { status: NumberProofStatus.PROVEN };
  }
  const wasTried = triesLeft < MOST_TRIES;
  const failure = decidedFailures[outcome] ?? failureOfOpenProof({ expiresAt: expiresAt ?? now, wasTried }, call, now);
  return failure === undefined
    ? { status: NumberProofStatus.CALLING }
    : { status: NumberProofStatus.FAILED, failure: NumberProofFailure[failure] };
}

const decidedFailures: Partial<Record<NumberProofOutcome, ProofFailure>> = {
  [NumberProofOutcome.WRONG_CODE]: 'WRONG_CODE',
  [NumberProofOutcome.NUMBER_TAKEN]: 'NUMBER_TAKEN',
  [NumberProofOutcome.EXPIRED]: 'EXPIRED',
};
