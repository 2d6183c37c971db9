import { parseDecimal, toScaledInteger } from './decimal';
import type { Scaled } from './decimal';

export interface Rejection {
  code: string;
  message: string;
}

export type ReadResult = { value: unknown } | { rejection: Rejection };

/** `text` is the value's own JSON text, exact where the parsed number is not. */
export type ScalarReader = (value: unknown, text: () => string | undefined) => ReadResult;

export const reject = (code: string, message: string): ReadResult => ({ rejection: { code, message } });

export const readString: ScalarReader = (value) => {
  if (typeof value !== 'string') {
    return reject('type', 'must be a string');
  }
  const reason = findUnstorableText(value);
  return reason === undefined ? { value } : reject('format', reason);
};

// With the u flag a surrogate pair is one character, so only a lone surrogate matches.
const loneSurrogate = /\p{Surrogate}/u;

/** The reason why PostgreSQL cannot store the string, or undefined. */
export function findUnstorableText(text: string): string | undefined {
  if (text.includes('\0')) {
    return 'must not contain the NUL character';
  }
  return loneSurrogate.test(text) ? 'must be well-formed Unicode' : undefined;
}

/** Reads a phone number sent as a number from its text, because a double could change its digits. */
export const readDigits: ScalarReader = (value, text) => {
  if (typeof value !== 'number') {
    return readString(value, text);
  }
  return Number.isSafeInteger(value) ? { value: String(value) } : { value: text() ?? String(value) };
};

const booleans = new Map<unknown, boolean>([
  [true, true],
  [1, true],
  ['true', true],
  ['1', true],
  [false, false],
  [0, false],
  ['false', false],
  ['0', false],
]);

export const readBoolean: ScalarReader = (value) => {
  const known = booleans.get(value);
  return known === undefined ? reject('type', 'must be true or false') : { value: known };
};

export const readFloat: ScalarReader = (value) => {
  const number = typeof value === 'string' && parseDecimal(value.trim()) !== undefined ? Number(value) : value;
  if (typeof number !== 'number') {
    return reject('type', 'must be a number');
  }
  return Number.isFinite(number) ? { value: number } : reject('range', 'is out of range');
};

/** The number as an exact integer of 1/10^places, whether it came as a number or as a numeric string. */
export function readExact(value: unknown, text: () => string | undefined, places: number): Scaled | undefined {
  const written = typeof value === 'string' ? value.trim() : typeof value === 'number' ? (text() ?? String(value)) : '';
  const decimal = parseDecimal(written);
  return decimal && toScaledInteger(decimal, places);
}

const ranges: Record<string, [number, number]> = {
  int32: [-(2 ** 31), 2 ** 31 - 1],
  sint32: [-(2 ** 31), 2 ** 31 - 1],
  sfixed32: [-(2 ** 31), 2 ** 31 - 1],
  uint32: [0, 2 ** 32 - 1],
  fixed32: [0, 2 ** 32 - 1],
  uint64: [0, Number.MAX_SAFE_INTEGER],
  fixed64: [0, Number.MAX_SAFE_INTEGER],
};

export function integerReader(scalar: string): ScalarReader {
  const [lowest, highest] = ranges[scalar] ?? [Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER];
  return (value, text) => {
    const exact = readExact(value, text, 0);
    if (exact === undefined || ('problem' in exact && exact.problem === 'fraction')) {
      return reject('type', 'must be a whole number');
    }
    if ('problem' in exact || exact.value < lowest || exact.value > highest) {
      return reject('range', 'is out of range');
    }
    return exact;
  };
}

export const readBytes: ScalarReader = (value) => {
  if (typeof value !== 'string' || !/^[A-Za-z0-9+/_-]*={0,2}$/.test(value)) {
    return reject('type', 'must be a base64 string');
  }
  return { value: Buffer.from(value, 'base64') };
};

/** Names without the enum's own prefix, ROLE_ADMIN ⇄ "ADMIN"; the zero value means "not given" and has no name. */
export function enumNames(enumeration: { name: string; values: Record<string, number> }): Map<string, number> {
  const prefix = `${enumeration.name.replace(/([a-z0-9])([A-Z])/g, '$1_$2').toUpperCase()}_`;
  return new Map(
    Object.entries(enumeration.values)
      .filter(([, number]) => number !== 0)
      .map(([name, number]) => [name.startsWith(prefix) ? name.slice(prefix.length) : name, number]),
  );
}

export function enumReader(names: Map<string, number>): ScalarReader {
  const rejection = reject('inclusion', `must be one of ${[...names.keys()].join(', ')}`);
  return (value) => {
    const number = typeof value === 'string' ? names.get(value.toUpperCase()) : undefined;
    return number === undefined ? rejection : { value: number };
  };
}

const timestampPattern = /^\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:?\d{2})?)?$/;

export function readTimestamp(value: unknown): Date | undefined {
  if (typeof value !== 'string' || !timestampPattern.test(value)) {
    return undefined;
  }
  // Without an offset a time is UTC, whatever time zone this process runs in.
  const zoned = /(Z|[+-]\d{2}:?\d{2})$/.test(value.slice(10)) || value.length === 10 ? value : `${value}Z`;
  const date = new Date(zoned.replace(' ', 'T'));
  return Number.isNaN(date.getTime()) ? undefined : date;
}

/** Accepts only existing dates: Date would read 2025-02-30 as the second of March. */
export function readCalendarDate(value: unknown): Date | undefined {
  if (typeof value !== 'string' || !/^\d{4}-\d{2}-\d{2}$/.test(value)) {
    return undefined;
  }
  const date = new Date(`${value}T00:00:00.000Z`);
  return Number.isNaN(date.getTime()) || date.toISOString().slice(0, 10) !== value ? undefined : date;
}
