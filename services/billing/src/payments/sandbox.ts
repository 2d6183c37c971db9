import { bankSlipLine } from './bank-slip';
import { brCode } from './br-code';
import type { PaymentProvider } from './port';
import { readSandboxNotification } from './sandbox-notification';

export interface SandboxOptions {
  pixKey: string;
  merchantName: string;
  merchantCity: string;
}

/** No bank has this number: the line is right in every digit and cannot be paid by mistake. */
const noBank = '999';

/** Moves no money and contacts no bank. Its codes are real in form, and its page has a button in place of a bank. */
export function createSandbox({ pixKey, merchantName, merchantCity }: SandboxOptions): PaymentProvider {
  return {
    name: 'sandbox',
    needsCustomer: false,
    async registerCustomer({ accountId }) {
      return `sandbox_customer_${accountId}`;
    },
    async updateCustomer() {},
    async createPayment({ chargeId, paymentMethod, amount, dueDate, pageUrl }) {
      const slip = bankSlipLine({ bank: noBank, dueDate, amount, freeField: String(chargeId).padStart(25, '0') });
      const pix = brCode({ key: pixKey, merchantName, merchantCity, amount, transactionId: `SABIA${chargeId}` });
      const takesPix = paymentMethod === 'PIX' || paymentMethod === 'UNDEFINED' || paymentMethod === 'BOLETO';
      return {
        paymentId: `sandbox_${chargeId}`,
        paymentLink: pageUrl,
        paymentCode: paymentMethod === 'BOLETO' ? slip : paymentMethod === 'PIX' ? pix : undefined,
        pixCode: takesPix ? pix : undefined,
      };
    },
    async cancelPayment() {},
    async withdrawPayment() {},
    async refundPayment() {},
    readNotification(_token, body) {
      return readSandboxNotification(body);
    },
  };
}
