import type { Money } from './money';

export const paymentMethods = ['UNDEFINED', 'CREDIT_CARD', 'DEBIT_CARD', 'BOLETO', 'PIX'] as const;
export type PaymentMethod = (typeof paymentMethods)[number];

export const chargeStatuses = ['PENDING', 'CONFIRMED', 'RECEIVED', 'OVERDUE', 'CANCELLED', 'REFUNDED'] as const;
export type ChargeStatus = (typeof chargeStatuses)[number];

export const gateways = ['sandbox', 'asaas'] as const;
export type GatewayName = (typeof gateways)[number];

export interface Charge {
  id: number;
  accountId: number;
  userId: number;
  gateway: GatewayName;
  type: string;
  paymentMethod: PaymentMethod;
  paymentId?: string;
  paymentCode?: string;
  paymentLink?: string;
  /** The code that the payer copies into a bank's app, if there is one. */
  pixCode?: string;
  invoiceId?: string;
  invoiceLink?: string;
  /** YYYY-MM-DD */
  dueDate: string;
  amount: Money;
  taxAmount: Money;
  totalAmount: Money;
  description: string;
  status: ChargeStatus;
  statusUpdatedAt: Date;
  createdAt: Date;
  paidAt?: Date;
  receivedAt?: Date;
  refundedAt?: Date;
  /** The amount received; undefined before. */
  paidAmount?: Money;
  /** The refunded part. An open chargeback takes the rest. */
  refundedAmount: Money;
  chargeback?: 'open' | 'reversed';
  chargebackAt?: Date;
  hasErpInvoice: boolean;
  /** The text of a JSON object, as it came. */
  metadata: string;
  /** The secret part of the payment link. */
  pageToken: string;
}
