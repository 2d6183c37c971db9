import type { Violation } from '@sabia/service-kit/errors';
import { dayOf, daysBetween, parseDay } from './calendar';
import { paymentMethods } from './charge';
import type { PaymentMethod } from './charge';
import { toDecimal, unitsPerCent, unitsPerReal } from './money';
import type { Money } from './money';

export interface ChargeWish {
  /** Absent: the payer chooses. */
  paymentMethod?: string;
  dueDate?: string;
  amount?: Money;
  description?: string;
  metadata?: string;
}

export interface NewCharge {
  paymentMethod: PaymentMethod;
  dueDate: string;
  amount: Money;
  description: string;
  metadata: string;
}

/** Both bounds themselves are refused. */
const amountAbove = 5 * unitsPerReal;
const amountBelow = 50_000 * unitsPerReal;
const daysAhead = 7;
const longestDescription = 500;
const largestMetadataBytes = 16 * 1024;

export function checkCharge(wish: ChargeWish, now: Date): { charge: NewCharge } | { violations: Violation[] } {
  const paymentMethod = wish.paymentMethod ?? 'UNDEFINED';
  const description = wish.description ?? '';
  const metadata = wish.metadata ?? '{}';
  const violations = [
    isPaymentMethod(paymentMethod)
      ? undefined
      : violation('paymentMethod', 'inclusion', `must be one of ${paymentMethods.join(', ')}`),
    checkDueDate(wish.dueDate, dayOf(now)),
    checkAmount(wish.amount),
    description.length > longestDescription
      ? violation('description', 'length', `must not be longer than ${longestDescription} characters`)
      : undefined,
    description.includes('\0') ? violation('description', 'format', 'must not contain a null character') : undefined,
    checkMetadata(metadata),
  ].filter((found) => found !== undefined);
  if (
    violations.length > 0 ||
    !isPaymentMethod(paymentMethod) ||
    wish.dueDate === undefined ||
    wish.amount === undefined
  ) {
    return { violations };
  }
  return { charge: { paymentMethod, dueDate: wish.dueDate, amount: wish.amount, description, metadata } };
}

function checkAmount(amount: Money | undefined): Violation | undefined {
  if (amount === undefined) {
    return violation('amount', 'presence', "can't be blank");
  }
  if (amount <= amountAbove || amount >= amountBelow) {
    return violation(
      'amount',
      'range',
      `must be greater than ${toDecimal(amountAbove).slice(0, -2)} and less than ${toDecimal(amountBelow).slice(0, -2)}`,
    );
  }
  if (amount % unitsPerCent !== 0) {
    return violation('amount', 'format', 'must have at most two decimals');
  }
  return undefined;
}

function checkDueDate(dueDate: string | undefined, today: string): Violation | undefined {
  if (dueDate === undefined || dueDate === '') {
    return violation('dueDate', 'presence', "can't be blank");
  }
  if (parseDay(dueDate) === undefined) {
    return violation('dueDate', 'format', 'must be a calendar date, YYYY-MM-DD');
  }
  const ahead = daysBetween(today, dueDate);
  if (ahead < 1 || ahead > daysAhead) {
    return violation('dueDate', 'range', `must be after today (${today}) and at most ${daysAhead} days ahead`);
  }
  return undefined;
}

/** The gateway ensures that it is a JSON object; this checks what the database can store. */
function checkMetadata(metadata: string): Violation | undefined {
  if (Buffer.byteLength(metadata) > largestMetadataBytes) {
    return violation('metadata', 'length', `must not be larger than ${largestMetadataBytes / 1024} KiB`);
  }
  if (!isJsonObject(metadata)) {
    return violation('metadata', 'type', 'must be an object');
  }
  return /\\u0000/i.test(metadata) ? violation('metadata', 'format', 'must not contain a null character') : undefined;
}

function isJsonObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}

const isPaymentMethod = (text: string): text is PaymentMethod => (paymentMethods as readonly string[]).includes(text);

const violation = (field: string, code: string, message: string): Violation => ({ field, code, message });
