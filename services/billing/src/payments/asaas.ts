import type { Logger } from '@sabia/service-kit/logging';
import { parsePhoneNumberFromString } from 'libphonenumber-js';
import { z } from 'zod';
import type { PaymentMethod } from '../domain/charge';
import { toCents } from '../domain/money';
import type { AsaasClient } from './asaas-client';
import { chargeReference, readAsaasNotification } from './asaas-notification';
import { asaasPaymentSchema } from './asaas-payment';
import type { AsaasPayment } from './asaas-payment';
import { PaymentRefused } from './port';
import type { Customer, Payment, PaymentProvider, PaymentRequest } from './port';

export interface AsaasOptions {
  client: AsaasClient;
  /** The token that Asaas sends in the header asaas-access-token. */
  webhookToken: string;
  log: Logger;
}

const listOf = <T extends z.ZodType>(item: T) => z.object({ data: z.array(item) });
const customerSchema = z.object({ id: z.string().min(1), deleted: z.boolean().optional() });
/** A debit card can only be chosen by the payer, on the page of the invoice. */
const billingTypes: Record<PaymentMethod, string> = {
  UNDEFINED: 'UNDEFINED',
  CREDIT_CARD: 'CREDIT_CARD',
  DEBIT_CARD: 'UNDEFINED',
  BOLETO: 'BOLETO',
  PIX: 'PIX',
};

const accountReference = (accountId: number): string => `account-${accountId}`;

export function createAsaas({ client, webhookToken, log }: AsaasOptions): PaymentProvider {
  async function findCustomer(accountId: number): Promise<{ id: string } | undefined> {
    const query = { externalReference: accountReference(accountId) };
    const found = listOf(customerSchema).safeParse(await client.send({ method: 'GET', path: '/customers', query }));
    return found.data?.data.find(({ deleted }) => deleted !== true);
  }

  async function findPayment(chargeId: number): Promise<AsaasPayment | undefined> {
    const query = { externalReference: chargeReference(chargeId) };
    const found = listOf(asaasPaymentSchema).safeParse(await client.send({ method: 'GET', path: '/payments', query }));
    return found.data?.data.find(({ deleted }) => deleted !== true);
  }

  async function readPayment(paymentId: string): Promise<AsaasPayment | undefined> {
    const answer = await client.send({ method: 'GET', path: `/payments/${encodeURIComponent(paymentId)}` });
    return answer === undefined ? undefined : asaasPaymentSchema.parse(answer);
  }

  async function removePayment(paymentId: string): Promise<void> {
    try {
      await client.send({ method: 'DELETE', path: `/payments/${encodeURIComponent(paymentId)}` });
    } catch (error) {
      const payment = error instanceof PaymentRefused ? await readPayment(paymentId) : { deleted: false };
      // Removed by an earlier try whose response was lost.
      if (payment !== undefined && payment.deleted !== true) {
        throw error;
      }
    }
  }

  /** The codes are optional: the payment exists without them, and its page shows them, too. */
  async function readCode(paymentId: string, resource: string, field: string): Promise<string | undefined> {
    try {
      const answer = await client.send({
        method: 'GET',
        path: `/payments/${encodeURIComponent(paymentId)}/${resource}`,
      });
      const value = (answer as Record<string, unknown> | undefined)?.[field];
      return typeof value === 'string' && value !== '' ? value : undefined;
    } catch (error) {
      log.warn({ err: error, resource }, 'a payment has no code yet');
      return undefined;
    }
  }

  async function toPayment(payment: AsaasPayment, { paymentMethod, pageUrl }: PaymentRequest): Promise<Payment> {
    const slip =
      paymentMethod === 'BOLETO' ? await readCode(payment.id, 'identificationField', 'identificationField') : undefined;
    const pix = paymentMethod === 'PIX' ? await readCode(payment.id, 'pixQrCode', 'payload') : undefined;
    return {
      paymentId: payment.id,
      paymentLink: payment.invoiceUrl ?? pageUrl,
      paymentCode: slip ?? pix,
      pixCode: pix,
      invoiceId: payment.invoiceNumber ?? undefined,
      invoiceLink: payment.invoiceUrl,
    };
  }

  return {
    name: 'asaas',
    needsCustomer: true,

    async registerCustomer(customer) {
      const known = await findCustomer(customer.accountId);
      if (known !== undefined) {
        await client.send({ method: 'PUT', path: `/customers/${known.id}`, body: customerBody(customer) });
        return known.id;
      }
      const answer = await client.send({
        method: 'POST',
        path: '/customers',
        body: customerBody(customer),
        findOutcome: () => findCustomer(customer.accountId),
      });
      return customerSchema.parse(answer).id;
    },

    async updateCustomer(customerId, customer) {
      await client.send({
        method: 'PUT',
        path: `/customers/${encodeURIComponent(customerId)}`,
        body: customerBody(customer),
      });
    },

    async createPayment(request) {
      const answer = await client.send({
        method: 'POST',
        path: '/payments',
        body: {
          customer: request.customerId,
          billingType: billingTypes[request.paymentMethod],
          value: Number(toCents(request.amount)),
          dueDate: request.dueDate,
          description: request.description,
          externalReference: chargeReference(request.chargeId),
        },
        findOutcome: () => findPayment(request.chargeId),
      });
      return toPayment(asaasPaymentSchema.parse(answer), request);
    },

    cancelPayment: removePayment,

    async withdrawPayment(chargeId) {
      const payment = await findPayment(chargeId);
      if (payment !== undefined) {
        await removePayment(payment.id);
      }
    },

    async refundPayment(paymentId) {
      const isRefunded = async (): Promise<AsaasPayment | undefined> => {
        const payment = await readPayment(paymentId);
        return payment?.status?.startsWith('REFUND') ? payment : undefined;
      };
      if ((await isRefunded()) === undefined) {
        const path = `/payments/${encodeURIComponent(paymentId)}/refund`;
        await client.send({ method: 'POST', path, body: {}, findOutcome: isRefunded });
      }
    },

    readNotification(token, body) {
      return readAsaasNotification({ token, expectedToken: webhookToken, body, log });
    },
  };
}

function customerBody(customer: Customer): Record<string, unknown> {
  return {
    name: customer.name,
    cpfCnpj: customer.cpfCnpj,
    email: customer.email,
    phone: nationalDigits(customer.phone),
    mobilePhone: nationalDigits(customer.mobilePhone),
    additionalEmails: customer.additionalEmails,
    externalReference: accountReference(customer.accountId),
    // Sabiá notifies the account itself.
    notificationDisabled: true,
  };
}

function nationalDigits(phone: string | undefined): string | undefined {
  const number = phone === undefined ? undefined : parsePhoneNumberFromString(phone, 'BR');
  return number?.country === 'BR' ? number.nationalNumber : undefined;
}
