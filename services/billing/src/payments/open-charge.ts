import { randomBytes } from 'node:crypto';
import { unprocessable } from '@sabia/service-kit/errors';
import { isUniqueViolation } from '@sabia/service-kit/postgres/errors';
import { idempotencyKeptMs } from '@sabia/service-kit/idempotency';
import { leaveScope } from '@sabia/service-kit/request-scope';
import type { Charge } from '../domain/charge';
import type { NewCharge } from '../domain/charge-rules';
import { chargeChanged } from '../events/published';
import { insertCharge, oneOpenCharge } from '../storage/charges';
import { findFinancialAccount } from '../storage/financial-accounts';
import { keepAnswer, oneChargePerKey } from '../storage/idempotency-keys';
import { completeCreation, giveUpCreation } from '../storage/provider-tasks';
import type { ChargeClaim } from './charge-once';
import { afterSeconds } from './collection';
import type { Collection } from './collection';
import { PaymentRefused } from './port';
import type { Payment } from './port';

/** Longer than all tries of a provider: the process of a charge that is still unfinished has died. */
const unfinishedAfterSeconds = 180;
const withdrawAfterSeconds = 30;

/**
 * Takes the account's one place for an open charge, then asks the provider, then makes the charge visible. No transaction is open
 * during the request to the provider; provider tasks clean up after a crash. The client's idempotency key is taken and released
 * together with the place, and gets its response when the charge becomes visible. If one of them is taken, nothing has changed.
 */
export async function openCharge(
  collection: Collection,
  owner: { accountId: number; userId: number },
  wanted: NewCharge,
  claim?: ChargeClaim,
): Promise<Charge | 'taken'> {
  const { database, providers, now } = collection;
  const provider = providers.current;
  const customerId = (await findFinancialAccount(database, owner.accountId))?.customerId;
  if (provider.needsCustomer && customerId === undefined) {
    throw unprocessable('FINANCIAL_ACCOUNT_REQUIRED', 'An active financial account is required to create a charge.');
  }
  const pageToken = randomBytes(16).toString('base64url');
  const key = claim && { ...claim, expiresAt: new Date(now().getTime() + idempotencyKeptMs) };
  let charge: Charge;
  try {
    charge = await insertCharge(
      database,
      { ...wanted, ...owner, gateway: provider.name, pageToken },
      now(),
      afterSeconds(now(), unfinishedAfterSeconds),
      key,
    );
  } catch (error) {
    if (isUniqueViolation(error, oneOpenCharge) || isUniqueViolation(error, oneChargePerKey)) {
      return 'taken';
    }
    throw error;
  }
  // From here on it is finished or given up, also after the client has disconnected.
  return leaveScope(() => finish(collection, charge, customerId, claim));
}

async function finish(
  collection: Collection,
  charge: Charge,
  customerId: string | undefined,
  claim: ChargeClaim | undefined,
): Promise<Charge> {
  const { database, outbox, providers, pageUrl, now } = collection;
  let payment: Payment;
  try {
    payment = await providers.of(charge.gateway).createPayment({
      chargeId: charge.id,
      customerId,
      paymentMethod: charge.paymentMethod,
      amount: charge.amount,
      dueDate: charge.dueDate,
      description: charge.description,
      pageUrl: pageUrl(charge.pageToken),
    });
  } catch (error) {
    const refused = error instanceof PaymentRefused;
    await giveUpCreation(database, charge.id, now(), refused ? null : afterSeconds(now(), withdrawAfterSeconds));
    throw refused
      ? unprocessable('PAYMENT_REFUSED', `The payment provider refused the charge: ${error.message}`)
      : error;
  }
  return database.transaction(async (tx) => {
    const complete = await completeCreation(tx, charge.id, payment);
    if (complete === undefined) {
      throw unprocessable('PAYMENT_REFUSED', 'The payment provider took too long.');
    }
    if (claim !== undefined) {
      await keepAnswer(tx, charge.id, claim.encode(complete));
    }
    // The first event of the charge, even if a notification of its payment arrived earlier.
    await outbox.write(tx, [chargeChanged({ ...complete, status: 'PENDING' }, 'created')]);
    return complete;
  });
}
