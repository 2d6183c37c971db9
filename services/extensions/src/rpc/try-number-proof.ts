import { NumberProofVerdict, TryNumberProofResponse } from '@sabia/protos/sabia/extensions/v1/numbers';
import { notFound } from '@sabia/service-kit/errors';
import type { Transaction } from '@sabia/service-kit/postgres/database';
import { isCode, mostTries } from '../domain/number-proof';
import type { NumberProof, ProofOutcome } from '../domain/number-proof';
import { lockProof, saveTry } from '../storage/number-proofs';
import { findNumber, saveProvenNumber } from '../storage/numbers';
import type { Dependencies, Handler } from './dependencies';

/** For telephony, which has heard the code. Tries are counted here, so that they count for whichever replica hears them. */
export function tryNumberProof({ database, now }: Dependencies): Handler<'tryNumberProof'> {
  return async ({ id, code }) => {
    const outcome = await database.transaction(async (tx) => {
      const proof = await lockProof(tx, id);
      if (proof === undefined) {
        throw notFound('proof', id);
      }
      if (proof.outcome !== null || proof.codeHash === null) {
        return proof.outcome;
      }
      const isRight = await isCode(id, code, proof.codeHash);
      const tries = proof.tries + 1;
      const decided = await decide(tx, { ...proof, tries }, { isRight, now: now() });
      await saveTry(tx, { id, tries, outcome: decided });
      return decided;
    });
    return TryNumberProofResponse.fromPartial({ verdict: verdictOf(outcome) });
  };
}

async function decide(
  tx: Transaction,
  { id, accountId, number, tries, expiresAt }: NumberProof,
  { isRight, now }: { isRight: boolean; now: Date },
): Promise<ProofOutcome | null> {
  if (expiresAt <= now) {
    return 'EXPIRED';
  }
  if (!isRight) {
    return tries < mostTries ? null : 'WRONG_CODE';
  }
  const isOurs =
    (await saveProvenNumber(tx, { number, accountId, note: `call ${id}`, since: now })) ||
    (await findNumber(tx, number))?.accountId === accountId;
  return isOurs ? 'PROVEN' : 'NUMBER_TAKEN';
}

function verdictOf(outcome: ProofOutcome | null): NumberProofVerdict {
  if (outcome === null) {
    return NumberProofVerdict.WRONG;
  }
  return outcome === 'PROVEN' ? NumberProofVerdict.RIGHT : NumberProofVerdict.OVER;
}
