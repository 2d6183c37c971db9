import type { GatewayName, PaymentMethod } from '../domain/charge';
import type { ChargeEvent } from '../domain/charge-status';
import type { Money } from '../domain/money';

export interface Customer {
  accountId: number;
  cpfCnpj: string;
  name: string;
  email?: string;
  phone?: string;
  mobilePhone?: string;
  additionalEmails?: string;
}

export interface PaymentRequest {
  chargeId: number;
  customerId?: string;
  paymentMethod: PaymentMethod;
  amount: Money;
  dueDate: string;
  description: string;
  /** The address of our own page, for providers without one. */
  pageUrl: string;
}

export interface Payment {
  paymentId: string;
  paymentLink: string;
  paymentCode?: string;
  pixCode?: string;
  invoiceId?: string;
  invoiceLink?: string;
}

export interface PaymentNotification {
  /** The same for every delivery of a notification. */
  id: string;
  paymentId: string;
  /** Our reference, if the provider repeats it: a notification may arrive before the payment's id is stored. */
  chargeId?: number;
  event: ChargeEvent;
  /** The exact amount paid; undefined if missing or invalid. */
  amount?: Money;
  /** The total of refunds. */
  refunded?: Money;
}

/** The provider that collects the money. Every method may be called again after a failure and then does its work once. */
export interface PaymentProvider {
  readonly name: GatewayName;
  /** Whether a charge needs a customer registered with the provider. */
  readonly needsCustomer: boolean;
  registerCustomer(customer: Customer): Promise<string>;
  updateCustomer(customerId: string, customer: Customer): Promise<void>;
  createPayment(request: PaymentRequest): Promise<Payment>;
  /** Refused if the charge was paid meanwhile. */
  cancelPayment(paymentId: string): Promise<void>;
  /** Cancels payments of a charge that was given up without knowing whether the provider had accepted it. */
  withdrawPayment(chargeId: number): Promise<void>;
  refundPayment(paymentId: string): Promise<void>;
  /** Throws if the sender is not authenticated or the body is invalid; undefined if it does not concern a charge. */
  readNotification(token: string, body: Buffer): PaymentNotification | undefined;
}

/** The provider has refused; a retry is useless. If it cannot be reached, a ServiceError "unavailable" is thrown instead. */
export class PaymentRefused extends Error {
  override readonly name = 'PaymentRefused';
}
