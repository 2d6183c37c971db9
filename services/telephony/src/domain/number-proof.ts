import type { Call } from './call';
import type { HangupCause } from './hangup-cause';

/** How many keys whoever answers the call of a proof has to press. */
export const CODE_DIGITS = 6;

/** How many codes may be keyed in; extensions counts them. */
export const MOST_TRIES = 3;

/** What those who list calls see, and webhooks are told. */
export const proofMetadata = JSON.stringify({ purpose: 'number-proof' });

/** Only the call that proves a number has no extension: the platform itself makes it. */
export const isProofCall = ({ ramal }: { ramal: string }): boolean => ramal === '';

export type ProofFailure =
  | 'NO_ANSWER'
  | 'BUSY'
  | 'REJECTED'
  | 'UNREACHABLE'
  | 'NO_CODE'
  | 'WRONG_CODE'
  | 'EXPIRED'
  | 'CANCELLED'
  | 'NUMBER_TAKEN';

const failuresByCause: Partial<Record<HangupCause, ProofFailure>> = {
  NO_ANSWER: 'NO_ANSWER',
  NO_USER_RESPONSE: 'NO_ANSWER',
  SUBSCRIBER_ABSENT: 'NO_ANSWER',
  USER_BUSY: 'BUSY',
  CALL_REJECTED: 'REJECTED',
  ORIGINATOR_CANCEL: 'CANCELLED',
};

/** Why a proof failed whose call has ended, or whose code is not good any more; undefined: it goes on. */
export function failureOfOpenProof(
  { expiresAt, wasTried }: { expiresAt: Date; wasTried: boolean },
  call: Pick<Call, 'status' | 'answeredAt' | 'hangupCause'> | undefined,
  now: Date,
): ProofFailure | undefined {
  if (call?.status === 'ended') {
    if (wasTried) return 'WRONG_CODE';
    if (call.answeredAt !== null) return 'NO_CODE';
    return (call.hangupCause && failuresByCause[call.hangupCause]) ?? 'UNREACHABLE';
  }
  return expiresAt <= now ? 'EXPIRED' : undefined;
}
