import type { Type } from 'protobufjs';
import type { Shape } from './codec';
import { MONEY_PLACES, formatScaled } from './decimal';
import { fieldContracts } from './field-contract';
import type { FieldContract } from './field-contract';
import { isoText } from './iso-text';
import { enumNames } from './scalar-readers';

export type MessageWriter = (message: Record<string, unknown>) => string;

export type ValueWriter = (value: unknown) => string;

interface FieldPlan {
  property: string;
  /** `"name":` */
  label: string;
  write: ValueWriter;
  omitWhenUnset: boolean;
}

export interface WriterCompiler {
  message(type: Type): MessageWriter;
  /** Writes the value of one field of a message, list or not: what response_body selects. */
  field(type: Type, name: string): ((message: Record<string, unknown>) => string) | undefined;
}

/** Of one type, only some fields are shown. */
export interface Selection {
  type: Type;
  shows: (jsonName: string) => boolean;
}

/** JSON text straight from the message: no object in between, and the text of JSON_OBJECT fields goes through untouched. */
export function createWriterCompiler(shape: Shape, selection?: Selection): WriterCompiler {
  const writers = new Map<Type, MessageWriter>();

  function message(type: Type): MessageWriter {
    const known = writers.get(type);
    if (known !== undefined) {
      return known;
    }
    const plans: FieldPlan[] = [];
    const writer: MessageWriter = (value) => writeFields(plans, value);
    writers.set(type, writer);
    for (const field of fieldContracts(type)) {
      if (selection?.type === type && !selection.shows(field.jsonName)) {
        continue;
      }
      plans.push({
        property: shape.property(field),
        label: `${JSON.stringify(field.jsonName)}:`,
        write: fieldWriter(field),
        omitWhenUnset: field.omitWhenUnset,
      });
    }
    return writer;
  }

  function fieldWriter(field: FieldContract): ValueWriter {
    const write = singleWriter(field);
    if (field.map) {
      return (value) => writeMap(value as Record<string, unknown>, write);
    }
    return field.repeated ? (value) => writeList(value as unknown[], write) : write;
  }

  function singleWriter(field: FieldContract): ValueWriter {
    if (field.kind === 'message') {
      const write = message(field.message!);
      return (value) => write(value as Record<string, unknown>);
    }
    return scalarWriter(field, shape);
  }

  return {
    message,
    field(type, name) {
      const field = fieldContracts(type).find((candidate) => candidate.name === name);
      if (field === undefined) {
        return undefined;
      }
      const property = shape.property(field);
      const write = fieldWriter(field);
      return (value) => {
        const selected = value[property];
        return selected === undefined || selected === null ? 'null' : write(selected);
      };
    },
  };
}

function writeFields(plans: FieldPlan[], message: Record<string, unknown>): string {
  let text = '{';
  for (const plan of plans) {
    const value = message[plan.property];
    const unset = value === undefined || value === null;
    if (unset && plan.omitWhenUnset) {
      continue;
    }
    text += `${text.length === 1 ? '' : ','}${plan.label}${unset ? 'null' : plan.write(value)}`;
  }
  return `${text}}`;
}

function writeList(items: unknown[], write: ValueWriter): string {
  let text = '[';
  for (let index = 0; index < items.length; index += 1) {
    text += (index === 0 ? '' : ',') + write(items[index]);
  }
  return `${text}]`;
}

function writeMap(entries: Record<string, unknown>, write: ValueWriter): string {
  return `{${Object.entries(entries)
    .map(([key, value]) => `${writeString(key)}:${write(value)}`)
    .join(',')}}`;
}

function scalarWriter(field: FieldContract, shape: Shape): ValueWriter {
  switch (field.format) {
    case 'MONEY':
      return (value) => formatScaled(Number(value), MONEY_PLACES);
    case 'JSON_OBJECT':
      return (value) => writeJsonObject(value as string);
    case 'BIT':
      return (value) => (value ? '1' : '0');
    case 'DATE':
      return (value) =>
        JSON.stringify(field.kind === 'timestamp' ? shape.toDate(value)?.toISOString().slice(0, 10) : value) ?? 'null';
    default:
      return plainWriter(field, shape);
  }
}

function plainWriter(field: FieldContract, shape: Shape): ValueWriter {
  switch (field.kind) {
    case 'string':
      return writeString;
    case 'bool':
      return (value) => (value ? 'true' : 'false');
    case 'integer':
    case 'float':
      return (value) => (Number.isFinite(value) ? String(value) : 'null');
    case 'bytes':
      return (value) => `"${Buffer.from(value as Uint8Array).toString('base64')}"`;
    case 'enum': {
      const names = new Map([...enumNames(field.enumeration!)].map(([name, number]) => [number, JSON.stringify(name)]));
      return (value) => names.get(value as number) ?? 'null';
    }
    default:
      return (value) => {
        const date = shape.toDate(value);
        return date === undefined || Number.isNaN(date.getTime()) ? 'null' : `"${isoText(date)}"`;
      };
  }
}

// Most strings need no escape, and quoting those by hand is several times faster.
const needsEscape = /["\\\p{Cc}\p{Cs}]/u;

function writeString(value: unknown): string {
  const text = value as string;
  return needsEscape.test(text) ? JSON.stringify(text) : `"${text}"`;
}

function writeJsonObject(text: string): string {
  return text.trimStart().startsWith('{') ? text : 'null';
}
