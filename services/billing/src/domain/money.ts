/** Money in code: a whole number of 1/10000 real. In SQL it is numeric, read and written as text. */
export type Money = number;

export const unitsPerReal = 10_000;
export const unitsPerCent = 100;

export function fromDecimal(text: string): Money {
  const match = /^(-?)(\d+)(?:\.(\d{1,4})0*)?$/.exec(text);
  const units = match && Number(match[2]) * unitsPerReal + Number((match[3] ?? '').padEnd(4, '0'));
  if (match === null || units === null || !Number.isSafeInteger(units)) {
    throw new RangeError('not an amount of money');
  }
  return match[1] === '-' && units !== 0 ? -units : units;
}

export function toDecimal(units: Money): string {
  if (!Number.isSafeInteger(units)) {
    throw new RangeError('not an amount of money');
  }
  const digits = String(Math.abs(units)).padStart(5, '0');
  return `${units < 0 ? '-' : ''}${digits.slice(0, -4)}.${digits.slice(-4)}`;
}

/** For display: two decimals, or four if there is a fraction of a cent. */
export const toReais = (units: Money): string => (units % unitsPerCent === 0 ? toCents(units) : toDecimal(units));

/** Two decimals with a point, as payment codes and providers expect. Never called with a fraction of a cent. */
export function toCents(units: Money): string {
  if (!Number.isSafeInteger(units) || units % unitsPerCent !== 0) {
    throw new RangeError('not a whole number of cents');
  }
  return toDecimal(units).slice(0, -2);
}
