import { NumberProofStatus, StartNumberProofResponse } from '@sabia/protos/sabia/telephony/v1/number_proofs';
import type { Caller } from '@sabia/protos/sabia/api/v1/caller';
import { requireCaller } from '@sabia/service-kit/grpc/handler';
import { newEventId } from '@sabia/service-kit/events/outbox';
import { proofMetadata } from '../domain/number-proof';
import type { CallToPlace } from '../placing/placement';
import type { Dependencies, Handler } from './dependencies';

/** The proof is opened before the number is called, as whoever answers may key the code in at once. */
export function startNumberProof({ extensions, placement, log, now }: Dependencies): Handler<'startNumberProof'> {
  return async ({ number = '' }, context) => {
    const caller = requireCaller(context);
    const id = newEventId(now());
    const proof = await extensions.openProof({ id, accountId: caller.accountId, number });
    try {
      await placement.place(callOf(caller, proof.number), { id });
    } catch (error) {
      // Nobody was called, so that it does not count. If this fails, it counts until the day is over.
      await extensions
        .dropProof(id)
        .catch((failure: unknown) => log.warn({ err: failure, proofId: id }, 'a proof without a call stays'));
      throw error;
    }
    return StartNumberProofResponse.fromPartial({ proof: { ...proof, id, status: NumberProofStatus.CALLING } });
  };
}

const callOf = (caller: Caller, to: string): CallToPlace => ({
  dialId: null,
  accountId: caller.accountId,
  userId: caller.userId,
  domain: caller.domain,
  timeZone: caller.timeZone,
  type: 'outbound',
  from: '',
  to,
  called: null,
  email: caller.email,
  firstName: caller.userName ?? '',
  lastName: '',
  bina: null,
  metadata: proofMetadata,
  record: false,
  ramal: '',
  aChannel: null,
});
