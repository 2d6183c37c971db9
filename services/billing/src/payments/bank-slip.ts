import { daysBetween } from '../domain/calendar';
import { unitsPerCent } from '../domain/money';
import type { Money } from '../domain/money';

export interface BankSlipFields {
  /** Three digits. */
  bank: string;
  dueDate: string;
  amount: Money;
  /** The bank's reference of the slip: 25 digits. */
  freeField: string;
}

const currency = '9';

/** The 47 digits that a payer types in: three fields with a check digit each, one for the whole, due date and amount. */
export function bankSlipLine({ bank, dueDate, amount, freeField }: BankSlipFields): string {
  if (!/^\d{3}$/.test(bank) || !/^\d{25}$/.test(freeField) || amount % unitsPerCent !== 0) {
    throw new RangeError('not the data of a bank slip');
  }
  const value = dueFactor(dueDate) + String(amount / unitsPerCent).padStart(10, '0');
  const fields = [bank + currency + freeField.slice(0, 5), freeField.slice(5, 15), freeField.slice(15)];
  const whole = checkDigit11(bank + currency + value + freeField);
  return fields.map((field) => field + checkDigit10(field)).join('') + whole + value;
}

/** As it is printed: 00190.00009 01234.567891 … */
export function formatBankSlipLine(line: string): string {
  return line.replace(/^(\d{5})(\d{5})(\d{5})(\d{6})(\d{5})(\d{6})(\d)(\d{14})$/, '$1.$2 $3.$4 $5.$6 $7 $8');
}

/** Days since 7 October 1997; after 9999 days, on 22 February 2025, the count began again at 1000. */
function dueFactor(dueDate: string): string {
  const days = daysBetween('1997-10-07', dueDate);
  return String(days > 9_999 ? ((days - 1_000) % 9_000) + 1_000 : days).padStart(4, '0');
}

function checkDigit10(digits: string): string {
  let sum = 0;
  [...digits].reverse().forEach((digit, at) => {
    const product = Number(digit) * (at % 2 === 0 ? 2 : 1);
    sum += product > 9 ? product - 9 : product;
  });
  return String((10 - (sum % 10)) % 10);
}

function checkDigit11(digits: string): string {
  let sum = 0;
  [...digits].reverse().forEach((digit, at) => {
    sum += Number(digit) * ((at % 8) + 2);
  });
  const digit = 11 - (sum % 11);
  return digit > 9 ? '1' : String(digit);
}
