import type { FieldContract } from '../../contract/field-contract';
import { enumNames } from '../request/scalar-readers';

/** Writes a decoded value as JSON text. */
export type ValueWriter = (value: unknown) => string;

/** How protobufjs holds 64 bits: as an object, because a number holds 53. */
type Integer = number | { toNumber(): number };

/** How protobufjs holds google.protobuf.Timestamp. */
interface Timestamp {
  seconds: Integer;
  nanos: number;
}

/** Up to here a double has all digits of an amount. */
const LARGEST_PLAIN_AMOUNT = 1e15;

/** The writer for values of a field that is no message. */
export function valueWriter(field: FieldContract): ValueWriter {
  return writerFor(field) as ValueWriter;
}

function writerFor({ format, kind, enumeration }: FieldContract): (value: never) => string {
  switch (kind) {
    case 'string':
      return format === 'JSON_OBJECT' ? jsonObjectText : JSON.stringify;
    case 'bool':
      return format === 'BIT' ? (value: boolean) => (value ? '1' : '0') : String;
    case 'integer':
      return format === 'MONEY' ? amountText : (value: Integer) => String(exact(value));
    case 'float':
      return (value: number) => (Number.isFinite(value) ? String(value) : 'null');
    case 'bytes':
      return (value: Buffer) => `"${value.toString('base64')}"`;
    case 'enum': {
      const names = new Map([...enumNames(enumeration!)].map(([name, number]) => [number, JSON.stringify(name)]));
      return (value: number) => names.get(value) ?? 'null';
    }
    case 'timestamp':
      return format === 'DATE' ? dateText : timeText;
    default:
      throw new Error(`a field of the kind ${kind} is not a single value`);
  }
}

/** JSON objects are stored as the client wrote them, and go out to the letter. */
function jsonObjectText(value: string): string {
  return value.trimStart().startsWith('{') ? value : 'null';
}

/** Integers beyond those that JSON carries exactly are an error, never another number. */
function exact(value: Integer): number {
  const number = typeof value === 'number' ? value : value.toNumber();
  if (!Number.isSafeInteger(number)) {
    throw new RangeError(`${number} is beyond the integers that JSON can carry`);
  }
  return number;
}

/** An amount in 1/10000 as the shortest decimal: 123400 is 12.34. */
function amountText(value: Integer): string {
  const amount = exact(value);
  if (Math.abs(amount) < LARGEST_PLAIN_AMOUNT) {
    return String(amount / 10_000);
  }
  const digits = String(Math.abs(amount));
  const fraction = digits.slice(-4).replace(/0+$/, '');
  return `${amount < 0 ? '-' : ''}${digits.slice(0, -4)}${fraction === '' ? '' : `.${fraction}`}`;
}

const millisecondsOf = ({ seconds, nanos }: Timestamp): number => Math.trunc(exact(seconds) * 1000 + nanos / 1_000_000);

function timeText(value: Timestamp): string {
  const text = isoText(millisecondsOf(value));
  return text === undefined ? 'null' : `"${text}"`;
}

function dateText(value: Timestamp): string {
  const text = isoText(millisecondsOf(value));
  return text === undefined ? 'null' : `"${text.slice(0, text.indexOf('T'))}"`;
}

const DAY_MS = 86_400_000;
const LAST_MS = Date.UTC(9999, 11, 31, 23, 59, 59, 999);
/** The latest and, negative, the earliest time of a Date. */
const LARGEST_TIME_MS = 8.64e15;

const twoDigits = Array.from({ length: 100 }, (_, number) => String(number).padStart(2, '0'));
let lastDay = -1;
/** "2025-01-02T" of lastDay. */
let lastDate = '';

/**
 * The same text as toISOString, which takes most of the time that a list of calls needs:
 * consecutive times are mostly of the same day, so only hours to milliseconds are formatted. Undefined for a time that no Date can hold.
 */
export function isoText(ms: number): string | undefined {
  if (!(ms >= 0 && ms <= LAST_MS)) {
    return Math.abs(ms) <= LARGEST_TIME_MS ? new Date(ms).toISOString() : undefined;
  }
  const day = Math.floor(ms / DAY_MS);
  if (day !== lastDay) {
    lastDay = day;
    lastDate = new Date(ms).toISOString().slice(0, 11);
  }
  const rest = ms - day * DAY_MS;
  const seconds = Math.floor(rest / 1000);
  const hour = twoDigits[Math.floor(seconds / 3600)]!;
  const minute = twoDigits[Math.floor(seconds / 60) % 60]!;
  const thousandths = rest % 1000;
  return `${lastDate}${hour}:${minute}:${twoDigits[seconds % 60]!}.${Math.floor(thousandths / 100)}${twoDigits[thousandths % 100]!}Z`;
}
