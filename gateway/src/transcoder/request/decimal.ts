/** A decimal number kept as text, exact where binary floating point is not: digits × 10^exponent. */
export interface Decimal {
  negative: boolean;
  /** Without zeros at either end; empty for zero. */
  digits: string;
  exponent: number;
}

const decimalPattern = /^([+-]?)(?=\.?\d)(\d*)\.?(\d*)(?:[eE]([+-]?\d+))?$/;

/** Accepts what JSON calls a number, and also "+1", ".5" and "5." in strings. */
export function parseDecimal(text: string): Decimal | undefined {
  const match = decimalPattern.exec(text);
  if (match === null) {
    return undefined;
  }
  const [, sign, whole = '', fraction = '', exponentText = '0'] = match;
  const all = (whole + fraction).replace(/^0+/, '');
  const digits = trimTrailingZeros(all);
  return {
    negative: sign === '-' && digits !== '',
    digits,
    exponent: digits === '' ? 0 : Number(exponentText) - fraction.length + (all.length - digits.length),
  };
}

// A regular expression anchored at the end would try every run of zeros: quadratic on a hostile number.
function trimTrailingZeros(digits: string): string {
  let end = digits.length;
  while (end > 0 && digits[end - 1] === '0') {
    end -= 1;
  }
  return digits.slice(0, end);
}

export type Scaled = { value: number } | { problem: 'fraction' | 'range' };

/** The number times 10^places as an exact integer. */
export function toScaledInteger({ negative, digits, exponent }: Decimal, places: number): Scaled {
  const shift = exponent + places;
  if (shift < 0) {
    return { problem: 'fraction' };
  }
  // 16 digits reach beyond the safe integers; checking first keeps 1e999999999 from becoming a string of that length.
  if (digits.length + shift > 16) {
    return digits === '' ? { value: 0 } : { problem: 'range' };
  }
  const magnitude = Number(digits + '0'.repeat(shift));
  if (!Number.isSafeInteger(magnitude)) {
    return { problem: 'range' };
  }
  return { value: negative ? -magnitude : magnitude };
}

export const MONEY_PLACES = 4;
