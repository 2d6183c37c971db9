import { conflict } from '@sabia/service-kit/errors';
import type { Transaction } from '@sabia/service-kit/postgres/database';
import type { Charge } from '../domain/charge';
import { stepOf } from '../domain/charge-step';
import type { ChargeNews, CreditChange } from '../domain/charge-step';
import { availableOf } from '../domain/credit';
import type { CreditWarning } from '../domain/credit';
import { toReais } from '../domain/money';
import { chargeChanged, creditWarned } from '../events/published';
import { lockBalance } from '../storage/balances';
import { saveStep } from '../storage/charges';
import { moveCredit } from '../storage/move-credit';
import type { CreditMove } from '../storage/move-credit';
import type { Collection } from './collection';

type ChangeParts = Pick<Collection, 'outbox' | 'lowThreshold' | 'tellBalance' | 'now'>;

/** The source of a refund: ours can be refused, a provider's has already happened. */
export type RefundOrigin = 'ours' | 'provider';

/**
 * Applies one step to a locked charge: status, credit and event together. Undefined if the event is late, repeated or out of
 * order and changes nothing.
 */
export async function changeCharge(
  { outbox, lowThreshold, tellBalance, now }: ChangeParts,
  tx: Transaction,
  charge: Charge,
  news: ChargeNews,
  origin: RefundOrigin = 'provider',
): Promise<Charge | undefined> {
  const at = now();
  const step = stepOf(charge, news, at);
  if (step === undefined) {
    return undefined;
  }
  const changed = await saveStep(tx, step.charge, at);
  const warnings: CreditWarning[] = [];
  if (step.changes.length > 0) {
    let balance = await lockBalance(tx, charge.accountId);
    for (const change of step.changes) {
      if (origin === 'ours' && -change.amount > availableOf(balance)) {
        throw conflict('REFUND_EXCEEDS_CREDIT', 'The credit of this charge has been used already.');
      }
      const moved = await moveCredit(tx, balance, toMove(changed, change, at), lowThreshold);
      balance = moved.after;
      warnings.push(...moved.warnings);
    }
    tx.afterCommit(() => tellBalance(charge.accountId));
  }
  await outbox.write(tx, [
    chargeChanged(changed, news.event),
    ...warnings.map((warning) => creditWarned(warning, lowThreshold)),
  ]);
  return changed;
}

/** Takes back the whole amount: an account that has spent it owes it. */
function toMove(charge: Charge, { kind, reference, amount }: CreditChange, at: Date): CreditMove {
  return {
    accountId: charge.accountId,
    kind,
    reference,
    description: describe(charge, kind),
    chargeId: charge.id,
    at,
    amount,
    against: [{ book: 'payments', amount: -amount }],
  };
}

const names = { topup: 'Top-up', refund: 'Refund', chargeback: 'Chargeback', reversal: 'Reversal of a chargeback' };

/** Names the amount in the statement if it differs from that of the charge. */
function describe({ id, amount, paidAmount }: Charge, kind: CreditChange['kind']): string {
  const differs = kind === 'topup' && paidAmount !== undefined && paidAmount !== amount;
  const difference = differs ? `: ${toReais(paidAmount)} arrived instead of ${toReais(amount)}` : '';
  return `${names[kind]}, charge ${id}${difference}`;
}
