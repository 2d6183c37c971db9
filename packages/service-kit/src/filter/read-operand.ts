import type { Operand } from './checked-filter';
import type { FieldType } from './resource';

const numberPattern = /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i;
const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** A scalar that no row can equal, e.g. 1.5 for a whole number: it is valid and matches nothing. */
export const impossible = Symbol('impossible');

type ScalarType = Exclude<FieldType, 'json' | 'timestamp'>;

/** Undefined when the value does not fit the type at all. */
export function readOperand(type: ScalarType, value: unknown): Operand | typeof impossible | undefined {
  switch (type) {
    case 'text':
      return readText(value);
    case 'integer':
      return readInteger(value);
    case 'decimal': {
      const number = readNumber(value);
      return number === undefined ? undefined : { type, value: String(number) };
    }
    case 'boolean':
      return readBoolean(value);
    case 'uuid':
      return readUuid(value);
  }
}

export function readNumber(value: unknown): number | undefined {
  if (typeof value === 'number') {
    return value;
  }
  if (typeof value !== 'string' || !numberPattern.test(value.trim())) {
    return undefined;
  }
  const number = Number(value);
  return Number.isFinite(number) ? number : undefined;
}

function readText(value: unknown): Operand | undefined {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? { type: 'text', value: String(value) }
    : undefined;
}

/** A fraction or a very large number can still be a bound; it is compared as a decimal. */
function readInteger(value: unknown): Operand | undefined {
  const number = readNumber(value);
  if (number === undefined) {
    return undefined;
  }
  return Number.isSafeInteger(number) ? { type: 'integer', value: number } : { type: 'decimal', value: String(number) };
}

function readBoolean(value: unknown): Operand | undefined {
  if (typeof value === 'boolean') {
    return { type: 'boolean', value };
  }
  const text = String(value).toLowerCase();
  if (text === 'true' || text === '1') {
    return { type: 'boolean', value: true };
  }
  return text === 'false' || text === '0' ? { type: 'boolean', value: false } : undefined;
}

function readUuid(value: unknown): Operand | typeof impossible | undefined {
  if (typeof value !== 'string' && typeof value !== 'number') {
    return undefined;
  }
  const text = String(value);
  return uuidPattern.test(text) ? { type: 'uuid', value: text.toLowerCase() } : impossible;
}
