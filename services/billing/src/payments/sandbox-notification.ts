import { badRequest } from '@sabia/service-kit/errors';
import { z } from 'zod';
import type { PaymentNotification } from './port';

const units = z.number().int().positive();

const schema = z.object({
  id: z.string().min(1).max(255),
  chargeId: z.number().int().positive(),
  event: z.enum([
    'confirmed',
    'received',
    'overdue',
    'cancelled',
    'refunded',
    'partially refunded',
    'charged back',
    'chargeback reversed',
  ]),
  amount: units.optional(),
  refunded: units.optional(),
});

/** The notification that a bank would send, for tests and the demo: money in 1/10000 real. No route of the gateway leads here. */
export function readSandboxNotification(body: Buffer): PaymentNotification {
  let parsed: ReturnType<typeof schema.safeParse>;
  try {
    parsed = schema.safeParse(JSON.parse(body.toString('utf8')));
  } catch {
    throw badRequest('INVALID_JSON', 'The notification is not JSON.');
  }
  if (!parsed.success) {
    throw badRequest('INVALID_NOTIFICATION', 'The notification needs id, chargeId and event.');
  }
  return { ...parsed.data, paymentId: `sandbox_${parsed.data.chargeId}` };
}
