import { defaultLanguage, isLanguage } from '@sabia/service-kit/brand/language';
import { notFound } from '@sabia/service-kit/errors';
import { toString as renderQrCode } from 'qrcode';
import type { Charge } from '../domain/charge';
import { isOpen } from '../domain/charge-status';
import { findChargeByToken } from '../storage/charges';
import type { Collection } from './collection';
import { applyNotification } from './notifications';
import { paymentPage } from './page';

/** The page of a token, in the language of the payer if that is known. */
export interface WantedPage {
  token: string;
  language?: string;
}

/** The page behind a payment link. Every holder of the link may see it; others do not learn whether it exists. */
export async function showPaymentPage({ database, allowSandbox }: Collection, wanted: WantedPage): Promise<string> {
  return render(await requireCharge(database, wanted.token), allowSandbox, wanted);
}

/** Handles the pay button of the sandbox with the same notifications as from a provider, so that the same rules apply. */
export async function paySandboxCharge(collection: Collection, wanted: WantedPage): Promise<string> {
  const { token } = wanted;
  const { database, allowSandbox } = collection;
  const charge = await requireCharge(database, token);
  if (!allowSandbox || charge.gateway !== 'sandbox' || charge.paymentId === undefined) {
    throw notFound('payment', token);
  }
  if (!isOpen(charge.status)) {
    return render(charge, allowSandbox, wanted);
  }
  const { id: chargeId, paymentId, amount } = charge;
  const card = charge.paymentMethod === 'CREDIT_CARD' || charge.paymentMethod === 'DEBIT_CARD';
  for (const event of card ? (['confirmed', 'received'] as const) : (['received'] as const)) {
    await applyNotification(collection, 'sandbox', { id: `${paymentId}:${event}`, paymentId, chargeId, event, amount });
  }
  return render(await requireCharge(database, token), allowSandbox, wanted);
}

async function requireCharge(database: Collection['database'], token: string): Promise<Charge> {
  const charge = /^[\w-]{16,64}$/.test(token) ? await findChargeByToken(database, token) : undefined;
  if (charge === undefined) {
    throw notFound('payment', token.slice(0, 64));
  }
  return charge;
}

async function render(charge: Charge, allowSandbox: boolean, { language = '' }: WantedPage): Promise<string> {
  const { pixCode } = charge;
  const qrCode =
    pixCode === undefined || !isOpen(charge.status)
      ? undefined
      : await renderQrCode(pixCode, { type: 'svg', margin: 1, errorCorrectionLevel: 'M' });
  return paymentPage({ charge, qrCode, allowSandbox, language: isLanguage(language) ? language : defaultLanguage });
}
