import type { Type } from 'protobufjs';
import { fieldContracts } from '../transcoder/field-contract';
import type { FieldContract } from '../transcoder/field-contract';
import { enumNames } from '../transcoder/scalar-readers';

export type Schema = Record<string, unknown>;

/** What the OpenAPI document says about a field, from the same contract that the transcoder works by. */
export function fieldSchema(field: FieldContract, collect: (type: Type) => Schema): Schema {
  const single = singleSchema(field, collect);
  if (field.map) {
    return { type: 'object', additionalProperties: single };
  }
  return field.repeated ? { type: 'array', items: single } : single;
}

function singleSchema(field: FieldContract, collect: (type: Type) => Schema): Schema {
  switch (field.format) {
    case 'JSON_OBJECT':
      return { type: 'object', additionalProperties: true };
    case 'MONEY':
      return { type: 'number', description: 'Brazilian reais' };
    case 'PAGE':
      return { type: 'integer', minimum: 1, default: 1 };
    case 'FILTER':
      return { type: 'string', description: 'JSON object with where, order, limit, offset, fields, include' };
    case 'BIT':
      return { type: 'integer', enum: [0, 1] };
    case 'DATE':
      return { type: 'string', format: 'date' };
    default:
      return plainSchema(field, collect);
  }
}

function plainSchema(field: FieldContract, collect: (type: Type) => Schema): Schema {
  switch (field.kind) {
    case 'string':
      return { type: 'string' };
    case 'bytes':
      return { type: 'string', format: 'byte' };
    case 'bool':
      return { type: 'boolean' };
    case 'integer':
      return { type: 'integer' };
    case 'float':
      return { type: 'number' };
    case 'timestamp':
      return { type: 'string', format: 'date-time' };
    case 'enum':
      return { type: 'string', enum: [...enumNames(field.enumeration!).keys()] };
    case 'message':
      return collect(field.message!);
  }
}

export interface SchemaCollection {
  reference: (type: Type) => Schema;
  all: Record<string, Schema>;
}

/** Answers have every field, null where unset; requests need none of them as far as the contract goes. */
export function createSchemaCollection(): SchemaCollection {
  const all: Record<string, Schema> = {};

  function reference(type: Type): Schema {
    if (all[type.name] === undefined) {
      const properties: Record<string, Schema> = {};
      all[type.name] = { type: 'object', properties };
      for (const field of fieldContracts(type)) {
        const schema = fieldSchema(field, reference);
        properties[field.jsonName] =
          field.tracksPresence && 'type' in schema ? { ...schema, type: [schema['type'], 'null'] } : schema;
      }
    }
    return { $ref: `#/components/schemas/${type.name}` };
  }

  return { reference, all };
}
