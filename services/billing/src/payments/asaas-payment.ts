import { z } from 'zod';

/** Such as pay_080225913252 and evt_05b708f961d739ea7eba7e4db318f621&368604920. */
export const asaasId = z.string().regex(/^[\x21-\x7e]{1,255}$/);

/** The fields of an Asaas payment that are used. */
export const asaasPaymentSchema = z.object({
  id: asaasId,
  status: z.string().optional(),
  deleted: z.boolean().optional(),
  // Read in asaas-notification.ts: what is not an amount must not make the whole notification unreadable.
  value: z.unknown().optional(),
  refunds: z
    .array(z.object({ status: z.string().optional(), value: z.unknown().optional() }))
    .nullish()
    .catch(undefined),
  invoiceUrl: z.string().optional(),
  invoiceNumber: z.string().nullish(),
  externalReference: z.string().nullish(),
});

export type AsaasPayment = z.infer<typeof asaasPaymentSchema>;
