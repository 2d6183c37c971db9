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

const millisecondsOf = ({ seconds, nanos }: Timestamp): number => exact(seconds) * 1000 + Math.trunc(nanos / 1_000_000);

function timeText(value: Timestamp): string {
  const text = isoText(millisecondsOf(value));
  return text === undefined ? 'null' : `"${text}"`;
}

function dateText(value: Timestamp): string {
  const text = isoText(millisecondsOf(value));
  return text === undefined ? 'null' : `"${text.slice(0, text.indexOf('T'))}"`;
}

/** The latest and, negative, the earliest time of a Date. */
const LARGEST_TIME_MS = 8.64e15;

/** Undefined for a time that no Date can hold. */
const isoText = (ms: number): string | undefined =>
  Math.abs(ms) <= LARGEST_TIME_MS ? new Date(ms).toISOString() : undefined;
