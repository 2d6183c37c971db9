import type { Violation } from '@sabia/service-kit/errors';
import type { Type } from 'protobufjs';
import { fieldContracts } from '../../contract/field-contract';
import type { FieldContract, FieldKind } from '../../contract/field-contract';
import { formatReader } from './format-readers';
import { isObject, jsonObject, plainObject } from './input';
import type { InputObject } from './input';
import {
  enumNames,
  enumReader,
  integerReader,
  readBoolean,
  readBytes,
  readDigits,
  readFloat,
  readString,
  readTimestamp,
  reject,
} from './scalar-readers';
import type { ScalarReader } from './scalar-readers';

/** Reads client input into a message under the names of its proto. All violations are collected, so that one response names them all. */
export type MessageReader = (input: InputObject, violations: Violation[], prefix?: string) => Record<string, unknown>;

type ValueReader = (value: unknown, text: () => string | undefined, path: string, violations: Violation[]) => unknown;

interface FieldPlan {
  jsonName: string;
  inputNames: string[];
  /** As the proto calls it, which is how protobufjs encodes it. */
  property: string;
  nullEmpties: boolean;
  /** The value that means "not given" on the wire; it is left out, so that equal requests have equal bytes. */
  zero?: unknown;
  read: ValueReader;
}

// Reached only by a message type that contains itself.
const MESSAGE_DEPTH = 50;

export type ReaderCompiler = (type: Type) => MessageReader;

/** Compiles a reader once per message type; a type that contains itself finds its own reader in the map. */
export function createReaderCompiler(): ReaderCompiler {
  const readers = new Map<Type, MessageReader>();

  function compile(type: Type): MessageReader {
    const known = readers.get(type);
    if (known !== undefined) {
      return known;
    }
    const plans: FieldPlan[] = [];
    const reader: MessageReader = (input, violations, prefix = '') => readFields(plans, input, violations, prefix);
    readers.set(type, reader);
    for (const field of fieldContracts(type).filter(({ ifNoneMatch }) => !ifNoneMatch)) {
      const { jsonName, inputNames, nullEmpties, name: property } = field;
      plans.push({ jsonName, inputNames, nullEmpties, property, zero: zeroOf(field), read: valueReader(field) });
    }
    return reader;
  }

  function valueReader(field: FieldContract): ValueReader {
    const read =
      field.message === undefined || field.kind === 'timestamp' || field.format !== undefined
        ? collecting(scalarReader(field))
        : messageReader(compile(field.message));
    if (field.map) {
      return mapReader(read);
    }
    return field.repeated ? listReader(read) : read;
  }

  return compile;
}

function readFields(
  plans: FieldPlan[],
  input: InputObject,
  violations: Violation[],
  prefix: string,
): Record<string, unknown> {
  const message: Record<string, unknown> = {};
  for (const { jsonName, inputNames, nullEmpties, property, zero, read } of plans) {
    const given = inputNames.filter((name) => isGiven(input.values, name));
    // An empty text is ignored if another name of the same field has a value: {"uuid": "", "id": 7} means 7.
    const name = given.find((each) => input.values[each] !== '') ?? given[0];
    if (name !== undefined) {
      const value = read(input.values[name], () => input.textOf(name), prefix + jsonName, violations);
      if (value !== zero) {
        message[property] = value;
      }
    } else if (nullEmpties && inputNames.some((each) => Object.hasOwn(input.values, each))) {
      message[property] = '{}';
    }
  }
  return message;
}

function isGiven(values: Record<string, unknown>, name: string): boolean {
  return Object.hasOwn(values, name) && values[name] !== undefined && values[name] !== null;
}

function collecting(read: ScalarReader): ValueReader {
  return (value, text, path, violations) => {
    const result = read(value, text);
    if ('rejection' in result) {
      violations.push({ field: path, ...result.rejection });
      return undefined;
    }
    return result.value;
  };
}

function messageReader(read: MessageReader): ValueReader {
  return (value, text, path, violations) => {
    if (!isObject(value)) {
      violations.push({ field: path, code: 'type', message: 'must be an object' });
      return undefined;
    }
    if (path.split('.').length > MESSAGE_DEPTH) {
      violations.push({ field: path, code: 'format', message: 'is nested too deeply' });
      return undefined;
    }
    const written = text();
    return read(written === undefined ? plainObject(value) : jsonObject(value, written), violations, `${path}.`);
  };
}

function listReader(read: ValueReader): ValueReader {
  return (value, _text, path, violations) => {
    // A list of one in a query string looks like a single value.
    const items = Array.isArray(value) ? (value as unknown[]) : [value];
    return items.map((item, index) => read(item, () => undefined, `${path}[${index}]`, violations));
  };
}

function mapReader(read: ValueReader): ValueReader {
  return (value, text, path, violations) => {
    if (!isObject(value)) {
      violations.push({ field: path, code: 'type', message: 'must be an object' });
      return undefined;
    }
    const written = text();
    const input = written === undefined ? plainObject(value) : jsonObject(value, written);
    return Object.fromEntries(
      Object.keys(value).map((key) => [key, read(value[key], () => input.textOf(key), `${path}.${key}`, violations)]),
    );
  };
}

function scalarReader(field: FieldContract): ScalarReader {
  const read = field.format === undefined ? plainReader(field) : formatReader(field.format, field);
  if (field.kind !== 'timestamp') {
    return read;
  }
  return (value, text) => {
    const result = read(value, text);
    return 'value' in result && result.value instanceof Date ? { value: timestampOf(result.value) } : result;
  };
}

function plainReader(field: FieldContract): ScalarReader {
  switch (field.kind) {
    case 'string':
      return field.digits ? readDigits : readString;
    case 'bool':
      return readBoolean;
    case 'integer':
      return integerReader(field.scalar);
    case 'float':
      return readFloat;
    case 'bytes':
      return readBytes;
    case 'enum':
      return enumReader(enumNames(field.enumeration!));
    default:
      return (value) => {
        const date = readTimestamp(value);
        return date === undefined ? reject('format', 'must be an ISO 8601 date and time') : { value: date };
      };
  }
}

function timestampOf(date: Date): { seconds: number; nanos: number } {
  const seconds = Math.floor(date.getTime() / 1000);
  return { seconds, nanos: (date.getTime() - seconds * 1000) * 1_000_000 };
}

const zeros: Partial<Record<FieldKind, unknown>> = { string: '', bool: false, integer: 0, float: 0, enum: 0 };

/** Undefined for fields whose zero differs from "not given". */
function zeroOf({ kind, repeated, map, tracksPresence }: FieldContract): unknown {
  return repeated || map || tracksPresence ? undefined : zeros[kind];
}
