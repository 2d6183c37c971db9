import type { Type } from 'protobufjs';
import { fieldContracts } from '../contract/field-contract';
import type { FieldContract } from '../contract/field-contract';
import { HIGHEST_PAGE } from '../transcoder/request/format-readers';
import { enumNames } from '../transcoder/request/scalar-readers';

export type Schema = Record<string, unknown>;

/** The OpenAPI schema of a field, built from the same contract that the transcoder uses. */
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
      return { type: 'integer', minimum: 1, maximum: HIGHEST_PAGE, default: 1 };
    case 'FILTER':
      return {
        type: 'string',
        contentMediaType: 'application/json',
        contentSchema: { $ref: '#/components/schemas/Filter' },
        description:
          'A JSON object with where, order, limit, offset, fields, include; the bracket form filter[where][field]=value is understood too',
      };
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
      return { type: 'string', ...(field.enumeration ? { enum: [...enumNames(field.enumeration).keys()] } : {}) };
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

export const filterSchema: Schema = {
  type: 'object',
  properties: {
    where: { type: 'object', description: 'A field and its value, or operators; and, or' },
    order: { type: ['string', 'array'], items: { type: 'string' }, examples: ['started_at DESC'] },
    limit: { type: 'integer', minimum: 0, description: 'At most 1000 are given' },
    offset: { type: 'integer', minimum: 0 },
    skip: { type: 'integer', minimum: 0, description: 'The same as offset' },
    fields: { type: ['array', 'object', 'string'], items: { type: 'string' } },
    include: { type: ['array', 'string', 'object'] },
  },
  additionalProperties: false,
};

export interface SchemaCollection {
  request: (type: Type) => Schema;
  response: (type: Type) => Schema;
  all: Record<string, Schema>;
}

/** Responses require every field that is not omitted when unset; requests require what the contract calls required. */
export function createSchemaCollection(): SchemaCollection {
  const all: Record<string, Schema> = {};

  const collect = (isRequired: (field: FieldContract) => boolean) => {
    const reference = (type: Type): Schema => {
      if (all[type.name] === undefined) {
        // Registered before its fields are read, because a type may contain itself.
        const schema: Schema = (all[type.name] = {});
        Object.assign(schema, objectSchema(type, isRequired, reference));
      }
      return { $ref: `#/components/schemas/${type.name}` };
    };
    return reference;
  };
  return {
    request: collect(({ required }) => required),
    response: collect(({ omitWhenUnset }) => !omitWhenUnset),
    all,
  };
}

/** Every message can be missing on the wire; those that are declared optional really may be. */
const isNullable = ({ kind, optional, tracksPresence }: FieldContract): boolean =>
  kind === 'message' ? optional : tracksPresence;

function orNull(schema: Schema): Schema {
  if (!('type' in schema)) {
    return { anyOf: [schema, { type: 'null' }] };
  }
  const { type, enum: values } = schema as { type: string; enum?: unknown[] };
  return { ...schema, type: [type, 'null'], ...(values ? { enum: [...values, null] } : {}) };
}

function objectSchema(
  type: Type,
  isRequired: (field: FieldContract) => boolean,
  reference: (type: Type) => Schema,
): Schema {
  const fields = fieldContracts(type).filter(({ ifNoneMatch }) => !ifNoneMatch);
  const required = fields.filter(isRequired).map(({ jsonName }) => jsonName);
  const properties = fields.map((field) => {
    const schema = fieldSchema(field, reference);
    return [field.jsonName, isNullable(field) ? orNull(schema) : schema];
  });
  return {
    type: 'object',
    properties: Object.fromEntries(properties) as Schema,
    ...(required.length > 0 ? { required } : {}),
  };
}
