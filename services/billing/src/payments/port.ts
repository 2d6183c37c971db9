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
  /** Of the page that we serve ourselves, for providers that have none. */
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
  /** The same notification has the same id, however often it comes. */
  id: string;
  paymentId: string;
  /** Ours, as far as the provider passed it on: a notification may arrive before we know the payment's id. */
  chargeId?: number;
  event: ChargeEvent;
  /** What the payer paid, exactly; undefined when the provider says none or nothing sensible. */
  amount?: Money;
  /** What refunds have given back of it in all. */
  refunded?: Money;
}

/** The provider that collects the money. Every method may be called again after a failure and then does its work once. */
export interface PaymentProvider {
  readonly name: GatewayName;
  /** A charge needs a customer that the provider knows. */
  readonly needsCustomer: boolean;
  registerCustomer(customer: Customer): Promise<string>;
  updateCustomer(customerId: string, customer: Customer): Promise<void>;
  createPayment(request: PaymentRequest): Promise<Payment>;
  /** Refused when the payer has been faster. */
  cancelPayment(paymentId: string): Promise<void>;
  /** Cancels whatever there may be for a charge that we gave up without knowing whether the provider had taken it. */
  withdrawPayment(chargeId: number): Promise<void>;
  refundPayment(paymentId: string): Promise<void>;
  /** Throws when the sender does not prove itself or makes no sense; undefined when it is of no concern to a charge. */
  readNotification(token: string, body: Buffer): PaymentNotification | undefined;
}

/** The provider understood and said no; asking again is of no use. When it cannot be reached, it is a ServiceError "unavailable". */
export class PaymentRefused extends Error {
  override readonly name = 'PaymentRefused';
}
