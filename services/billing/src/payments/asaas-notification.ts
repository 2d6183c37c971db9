import { createHash, timingSafeEqual } from 'node:crypto';
import { badRequest, unauthenticated } from '@sabia/service-kit/errors';
import type { Logger } from '@sabia/service-kit/logging';
import { z } from 'zod';
import type { ChargeEvent } from '../domain/charge-status';
import { unitsPerCent } from '../domain/money';
import { asaasId, asaasPaymentSchema } from './asaas-payment';
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
]);

/** Our name for a charge, which Asaas sends back with everything it says about the payment. */
export const chargeReference = (chargeId: number): string => `charge-${chargeId}`;

export interface AsaasWebhook {
  /** What came in the header asaas-access-token. */
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
  return {
    id: id ?? `${name}:${payment.id}`,
    paymentId: payment.id,
    chargeId: chargeId === undefined ? undefined : Number(chargeId),
    event,
    amount: payment.value === undefined ? undefined : Math.round(payment.value * 100) * unitsPerCent,
  };
}

function isSame(given: string, expected: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(expected));
}
