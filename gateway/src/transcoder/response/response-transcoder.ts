import type { Type } from 'protobufjs';
import { fieldContracts } from '../../contract/field-contract';
import type { FieldContract } from '../../contract/field-contract';
import type { Route } from '../../contract/routes';
import { valueWriter } from './value-writer';
import type { ValueWriter } from './value-writer';
import { compileWireWriter } from './wire/wire-writer';

/**
 * From the bytes of the response message to the JSON of the HTTP response.
 * `shows` selects fields of the items of a list; without it all of them are written.
 */
export type ResponseTranscoder = (bytes: Buffer, shows?: Selection['shows']) => string | Buffer;

export interface ResponseOptions {
  /** Whether lists may be written by wire/, which is faster; the plain writer can write every response. */
  fromWire: boolean;
}

export function compileResponse(route: Route, { fromWire }: ResponseOptions): ResponseTranscoder {
  const items = itemType(route);

  function compile(selection?: Selection): MessageWriter {
    const writers = createWriterCompiler(selection);
    if (route.responseBody === '') {
      return writers.message(route.rpc.responseType);
    }
    const write = writers.field(route.rpc.responseType, route.responseBody);
    if (write === undefined) {
      throw new Error(`${route.rpc.path} has no field ${route.responseBody}`);
    }
    return write;
  }

  const writeAll = compile();
  // Other responses are too short to gain from it.
  const writeList =
    fromWire && items !== undefined && route.responseBody === ''
      ? compileWireWriter(route.rpc.responseType)
      : undefined;
  return (bytes, shows) => {
    if (shows === undefined || items === undefined) {
      return writeList?.(bytes) ?? writeAll(bytes);
    }
    // Selections differ from client to client and are rare, so their writers are not kept.
    return compile({ type: items, shows })(bytes);
  };
}

/** The message type of the items of a list; undefined for a route that answers no list. */
function itemType({ rpc, responseBody }: Route): Type | undefined {
  const list = fieldContracts(rpc.responseType).find(
    ({ name, repeated, kind }) => repeated && kind === 'message' && (responseBody === '' || responseBody === name),
  );
  return list?.message;
}

/** From the bytes of a message to JSON text. */
export type MessageWriter = (bytes: Buffer) => string;

export interface WriterCompiler {
  message(type: Type): MessageWriter;
  /** Writes the value of one field of a message, list or not: the field that response_body names. */
  field(type: Type, name: string): MessageWriter | undefined;
}

/** Restricts the fields that are shown of one message type. */
export interface Selection {
  type: Type;
  shows: (jsonName: string) => boolean;
}

type Message = Record<string, unknown>;

interface FieldPlan {
  name: string;
  /** `"jsonName":` */
  label: string;
  /** Whether the field can be unset; fields that cannot have their zero value instead. */
  optional: boolean;
  /** The text of an unset field; empty when an unset field is left out. */
  unset: string;
  write: ValueWriter;
}

/** Decodes a message with the codec of its proto and writes its fields in the order of the proto. */
export function createWriterCompiler(selection?: Selection): WriterCompiler {
  const compiled = new Map<Type, ValueWriter>();

  function compile(type: Type): ValueWriter {
    const known = compiled.get(type);
    if (known !== undefined) {
      return known;
    }
    const plans: FieldPlan[] = [];
    const write: ValueWriter = (message) => writeFields(plans, message as Message);
    // Known before its fields are: a message may contain messages of its own type.
    compiled.set(type, write);
    for (const field of fieldContracts(type)) {
      if (selection?.type !== type || selection.shows(field.jsonName)) {
        plans.push(planField(field));
      }
    }
    return write;
  }

  function planField(field: FieldContract): FieldPlan {
    const label = `${JSON.stringify(field.jsonName)}:`;
    return {
      name: field.name,
      label,
      optional: field.tracksPresence,
      unset: field.omitWhenUnset ? '' : `${label}null`,
      write: fieldWriter(field),
    };
  }

  function fieldWriter(field: FieldContract): ValueWriter {
    const write = field.kind === 'message' ? compile(field.message!) : valueWriter(field);
    if (field.map) {
      return (entries) => writeEntries(entries as Message, write);
    }
    return field.repeated ? (items) => writeItems(items as unknown[], write) : write;
  }

  return {
    message(type) {
      const write = compile(type);
      return (bytes) => write(type.decode(bytes));
    },
    field(type, name) {
      const field = fieldContracts(type).find((candidate) => candidate.name === name);
      if (field === undefined) {
        return undefined;
      }
      const write = fieldWriter(field);
      return (bytes) => {
        const message = type.decode(bytes) as unknown as Message;
        return field.tracksPresence && !Object.hasOwn(message, name) ? 'null' : write(message[name]);
      };
    },
  };
}

function writeFields(plans: FieldPlan[], message: Message): string {
  let text = '{';
  let separator = '';
  for (const { name, label, optional, unset, write } of plans) {
    // Decoded messages own the fields that were on the wire and inherit the zero values of the others.
    const isUnset = optional && !Object.hasOwn(message, name);
    if (isUnset && unset === '') {
      continue;
    }
    text += separator;
    text += isUnset ? unset : label + write(message[name]);
    separator = ',';
  }
  return text + '}';
}

function writeItems(items: unknown[], write: ValueWriter): string {
  return `[${items.map((item) => write(item)).join(',')}]`;
}

function writeEntries(entries: Message, write: ValueWriter): string {
  const texts = Object.entries(entries).map(([key, value]) => `${JSON.stringify(key)}:${write(value)}`);
  return `{${texts.join(',')}}`;
}
