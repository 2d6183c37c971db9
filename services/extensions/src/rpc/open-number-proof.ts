import { OpenNumberProofResponse } from '@sabia/protos/sabia/extensions/v1/numbers';
import { accountSuspended, conflict, invalid, unprocessable } from '@sabia/service-kit/errors';
import type { Transaction } from '@sabia/service-kit/postgres/database';
import { normalizePhone } from '../domain/bina';
import { codeLifetimeMs, hashOfCode, mostTries, newCode, proofLimits } from '../domain/number-proof';
import { countProofs, deleteProofsBefore, insertProof, lockProofs } from '../storage/number-proofs';
import { findNumber } from '../storage/numbers';
import { findSuspension } from '../storage/suspended-accounts';
import type { Dependencies, Handler } from './dependencies';

const HOUR_MS = 3_600_000;
/** Proofs are kept for those who ask what happened. */
const KEPT_HOURS = 30 * 24;

/** For telephony, which then calls the number. */
export function openNumberProof({ database, phoneCountry, now }: Dependencies): Handler<'openNumberProof'> {
  return async ({ id, accountId, number: text }) => {
    const number = normalizePhone(text, phoneCountry);
    if (number === undefined) {
      throw invalid('number', [{ field: 'number', code: 'format', message: 'is not a valid phone number' }]);
    }
    const createdAt = now();
    // Once before the code is hashed, which costs, and once more under the lock.
    await database.transaction((tx) => refuseIfNotAllowed(tx, { number, accountId, now: createdAt }));
    const code = newCode();
    const codeHash = await hashOfCode(id, code);
    const expiresAt = new Date(createdAt.getTime() + codeLifetimeMs);
    await database.transaction(async (tx) => {
      await lockProofs(tx);
      await refuseIfNotAllowed(tx, { number, accountId, now: createdAt });
      await deleteProofsBefore(tx, hoursBefore(createdAt, KEPT_HOURS));
      await insertProof(tx, { id, accountId, number, codeHash, createdAt, expiresAt });
    });
    return OpenNumberProofResponse.fromPartial({ number, code, triesLeft: mostTries, createdAt, expiresAt });
  };
}

async function refuseIfNotAllowed(
  tx: Transaction,
  { number, accountId, now }: { number: string; accountId: number; now: Date },
): Promise<void> {
  const reason = await findSuspension(tx, accountId);
  if (reason !== undefined) {
    throw accountSuspended(reason);
  }
  const owned = await findNumber(tx, number);
  if (owned?.accountId === accountId && owned.title !== 'INHERITED') {
    throw conflict('NUMBER_ALREADY_YOURS', 'This number belongs to the account already.');
  }
  // The answer does not tell whose it is.
  if (owned !== undefined && owned.accountId !== accountId && owned.operatorName !== '') {
    throw conflict('NUMBER_TAKEN', 'This number cannot be proven by a call. Ask the operator.');
  }
  const { hours, perNumber, perAccount } = proofLimits;
  const { ofNumber, ofAccount } = await countProofs(tx, { number, accountId, since: hoursBefore(now, hours) });
  if (ofNumber >= perNumber) {
    throw unprocessable('TOO_MANY_PROOFS', `A number is called at most ${perNumber} times in ${hours} hours.`);
  }
  if (ofAccount >= perAccount) {
    throw unprocessable('TOO_MANY_PROOFS', `An account has at most ${perAccount} proofs in ${hours} hours.`);
  }
}

const hoursBefore = (moment: Date, hours: number): Date => new Date(moment.getTime() - hours * HOUR_MS);
