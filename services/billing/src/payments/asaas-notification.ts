import { createHash, timingSafeEqual } from 'node:crypto';
import { badRequest, unauthenticated } from '@sabia/service-kit/errors';
import type { Logger } from '@sabia/service-kit/logging';
import { z } from 'zod';
import type { ChargeEvent } from '../domain/charge-status';
import { fromDecimal } from '../domain/money';
import type { Money } from '../domain/money';
import { asaasId, asaasPaymentSchema } from './asaas-payment';
import type { AsaasPayment } from './asaas-payment';
import type { PaymentNotification } from './port';

const notificationSchema = z.object({
  id: asaasId.optional(),
  event: z.string(),
  payment: asaasPaymentSchema.optional(),
});

const events = new Map<string, ChargeEvent>([
  ['PAYMENT_CONFIRMED', 'confirmed'],
  ['PAYMENT_RECEIVED', 'received'],
  ['PAYMENT_OVERDUE', 'overdue'],
  ['PAYMENT_DELETED', 'cancelled'],
  ['PAYMENT_REFUNDED', 'refunded'],
  ['PAYMENT_PARTIALLY_REFUNDED', 'partially refunded'],
  ['PAYMENT_CHARGEBACK_REQUESTED', 'charged back'],
  // The money is gone also while the chargeback is disputed; its request may not have arrived here.
  ['PAYMENT_CHARGEBACK_DISPUTE', 'charged back'],
  // Won: the acquirer is bound to pay. A card that is CONFIRMED is no more certain, and counts.
  ['PAYMENT_AWAITING_CHARGEBACK_REVERSAL', 'chargeback reversed'],
]);

/** Our reference of a charge, which Asaas repeats in every notification. */
export const chargeReference = (chargeId: number): string => `charge-${chargeId}`;

export interface AsaasWebhook {
  /** The header asaas-access-token. */
  token: string;
  expectedToken: string;
  body: Buffer;
  log: Logger;
}

export function readAsaasNotification({
  token,
  expectedToken,
  body,
  log,
}: AsaasWebhook): PaymentNotification | undefined {
  if (!isSame(token, expectedToken)) {
    throw unauthenticated();
  }
  let parsed: ReturnType<typeof notificationSchema.safeParse>;
  try {
    parsed = notificationSchema.safeParse(JSON.parse(body.toString('utf8')));
  } catch {
    throw badRequest('INVALID_JSON', 'The notification is not JSON.');
  }
  if (!parsed.success) {
    throw badRequest('INVALID_NOTIFICATION', 'The notification has no event.');
  }
  const { id, event: name, payment } = parsed.data;
  const event = events.get(name);
  if (event === undefined || payment === undefined) {
    log.info({ event: name }, 'a payment notification that changes no charge');
    return undefined;
  }
  const chargeId = /^charge-(\d{1,15})$/.exec(payment.externalReference ?? '')?.[1];
  const refunded = refundedOf(payment);
  return {
    id: id ?? [name, payment.id, ...(event === 'partially refunded' ? [refunded] : [])].join(':'),
    paymentId: payment.id,
    chargeId: chargeId === undefined ? undefined : Number(chargeId),
    event,
    amount: readAmount(payment.value),
    refunded,
  };
}

/**
 * Reais with at most two decimals, exactly; undefined for everything else. `value` of a payment is the amount paid; originalValue is
 * the amount of the charge if it differs, netValue the amount after the fees of Asaas.
 */
function readAmount(value: unknown): Money | undefined {
  const text = typeof value === 'number' || typeof value === 'string' ? String(value) : '';
  const amount = /^\d{1,11}(\.\d{1,2})?$/.test(text) ? fromDecimal(text) : 0;
  return amount > 0 ? amount : undefined;
}

/** Undefined if the list is missing or has no amounts. */
function refundedOf({ refunds }: AsaasPayment): Money | undefined {
  const amounts = (refunds ?? []).filter(({ status }) => status !== 'CANCELLED').map(({ value }) => readAmount(value));
  return amounts.length === 0 || amounts.includes(undefined)
    ? undefined
    : amounts.reduce((sum: Money, amount) => sum + (amount ?? 0), 0);
}

function isSame(given: string, expected: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(expected));
}
