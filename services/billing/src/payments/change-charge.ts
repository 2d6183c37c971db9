import { conflict } from '@sabia/service-kit/errors';
import type { Transaction } from '@sabia/service-kit/postgres/database';
import { availableOf } from '../domain/credit';
import type { Charge } from '../domain/charge';
import { creditMove, nextStatus } from '../domain/charge-status';
import type { ChargeEvent } from '../domain/charge-status';
import { chargeChanged, creditWarned } from '../events/published';
import { lockBalance } from '../storage/balances';
import { setStatus } from '../storage/charges';
import { moveCredit } from '../storage/move-credit';
import type { CreditMove, MovedCredit } from '../storage/move-credit';
import type { Collection } from './collection';

type ChangeParts = Pick<Collection, 'outbox' | 'lowThreshold' | 'now'>;

/** Who gives the money back: with us there is a choice, a provider reports what has happened. */
export type RefundOrigin = 'ours' | 'provider';

/**
 * One step of a charge whose lock is held: status, credit and event together. Undefined: the event changes nothing, because
 * it comes late, twice or out of order.
 */
export async function changeCharge(
  { outbox, lowThreshold, now }: ChangeParts,
  tx: Transaction,
  charge: Charge,
  event: ChargeEvent,
  origin: RefundOrigin = 'provider',
): Promise<Charge | undefined> {
  const status = nextStatus(charge.status, event);
  if (status === undefined) {
    return undefined;
  }
  const at = now();
  let moved: MovedCredit | undefined;
  switch (creditMove(charge.status, status)) {
    case 'credit':
      moved = await moveCredit(tx, await lockBalance(tx, charge.accountId), topUp(charge, at), lowThreshold);
      break;
    case 'debit': {
      const balance = await lockBalance(tx, charge.accountId);
      const debit = Math.min(charge.amount, availableOf(balance));
      if (origin === 'ours' && debit < charge.amount) {
        throw conflict('REFUND_EXCEEDS_CREDIT', 'The credit of this charge has been used already.');
      }
      moved = await moveCredit(tx, balance, refund(charge, debit, at), lowThreshold);
      break;
    }
    case 'none':
  }
  const changed = await setStatus(tx, charge.id, status, at);
  const warnings = moved?.warnings ?? [];
  await outbox.write(tx, [chargeChanged(changed), ...warnings.map((warning) => creditWarned(warning, lowThreshold))]);
  return changed;
}

function topUp(charge: Charge, at: Date): CreditMove {
  return {
    accountId: charge.accountId,
    kind: 'topup',
    reference: String(charge.id),
    description: `Top-up, charge ${charge.id}`,
    chargeId: charge.id,
    at,
    amount: charge.amount,
    against: [{ book: 'payments', amount: -charge.amount }],
  };
}

/** What the provider paid back leaves in full; what the account no longer has of it is our loss, since credit has no minus. */
function refund(charge: Charge, debit: number, at: Date): CreditMove {
  const loss = charge.amount - debit;
  return {
    accountId: charge.accountId,
    kind: 'refund',
    reference: String(charge.id),
    description: `Refund, charge ${charge.id}`,
    chargeId: charge.id,
    at,
    amount: -debit,
    against: [
      { book: 'payments', amount: charge.amount },
      ...(loss === 0 ? [] : [{ book: 'losses' as const, amount: -loss }]),
    ],
  };
}
