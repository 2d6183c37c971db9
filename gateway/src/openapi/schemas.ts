import type { Enum, Type } from 'protobufjs';
import { textOf } from '../contract/comment';
import { fieldContracts } from '../contract/field-contract';
import type { FieldContract } from '../contract/field-contract';
import { HIGHEST_PAGE } from '../transcoder/request/format-readers';
import { enumNames } from '../transcoder/request/scalar-readers';
import { createExampleComposer } from './example-composer';
import type { Examples, Side } from './examples';
import type { Say } from './texts';

export type Schema = Record<string, unknown>;

export interface Selection {
  /** The name of the schema. */
  name: string;
  description: string;
  /** The JSON names of the fields, by whether they are always there. */
  fields: Readonly<Record<string, boolean>>;
  /** Replaces the schema of single fields. */
  fixed?: Readonly<Record<string, Schema>>;
}

export interface SchemaCollection {
  /** A reference to the schema of a message. */
  message(type: Type, side: Side): Schema;
  /** A reference to the schema of a body: without the fields that the path has. */
  body(type: Type, inPath: ReadonlySet<string>, operationId: string): Schema;
  /** The schema of one field, without its description and example. */
  field(field: FieldContract, side: Side): Schema;
  /** A reference to a schema with some of the fields of a message. */
  selection(type: Type, selection: Selection): Schema;
  /** Adds a schema that no message has. */
  add(name: string, schema: Schema): Schema;
  exampleOf(type: Type, field: FieldContract): unknown;
  all: Record<string, Schema>;
}

export function createSchemaCollection({ say, examples }: { say: Say; examples: Examples }): SchemaCollection {
  const all: Record<string, Schema> = {};
  const owners = new Map<string, unknown>();
  const composer = createExampleComposer(examples);
  const referTo = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` });

  /** Registered before it is built, because a message may contain itself. */
  function once(name: string, owner: unknown, build: () => Schema): Schema {
    const known = owners.get(name);
    if (known !== undefined && known !== owner) {
      throw new Error(`two schemas are called ${name}`);
    }
    if (known === undefined) {
      owners.set(name, owner);
      const schema: Schema = (all[name] = {});
      Object.assign(schema, build());
    }
    return referTo(name);
  }

  const message = (type: Type, side: Side): Schema => once(type.name, type, () => objectSchema(type, side));

  function body(type: Type, inPath: ReadonlySet<string>, operationId: string): Schema {
    const name = `${operationId.charAt(0).toUpperCase()}${operationId.slice(1)}Request`;
    return once(name, `${type.fullName} ${[...inPath].join()}`, () => objectSchema(type, 'request', inPath));
  }

  function objectSchema(type: Type, side: Side, without: ReadonlySet<string> = new Set()): Schema {
    const fields = fieldContracts(type).filter(({ ifNoneMatch, name }) => !ifNoneMatch && !without.has(name));
    const required = fields.filter((field) => isAlwaysThere(field, side)).map(({ jsonName }) => jsonName);
    return {
      type: 'object',
      ...described(textOf(type.comment)),
      properties: Object.fromEntries(fields.map((field) => [field.jsonName, property(type, field, side)])),
      ...(required.length > 0 ? { required } : {}),
      examples: [withoutFields(composer.message(type, side), without)],
    };
  }

  function selection(type: Type, { name, description, fields, fixed = {} }: Selection): Schema {
    return once(name, name, () => {
      const properties = fieldContracts(type)
        .filter(({ jsonName }) => jsonName in fields)
        .map((field) => [field.jsonName, { ...property(type, field, 'response'), ...(fixed[field.jsonName] ?? {}) }]);
      const example = composer.message(type, 'response');
      return {
        type: 'object',
        ...described(description),
        properties: Object.fromEntries(properties) as Schema,
        required: Object.keys(fields).filter((field) => fields[field]),
        examples: [
          Object.fromEntries(
            Object.keys(fields).map((field) => [
              field,
              (fixed[field]?.['examples'] as unknown[] | undefined)?.[0] ?? example[field],
            ]),
          ),
        ],
      };
    });
  }

  const described = (english: string): Schema => (english === '' ? {} : { description: say(english) });

  function property(type: Type, contract: FieldContract, side: Side): Schema {
    const schema = field(contract, side);
    const example = contract.kind === 'message' ? undefined : composer.field(type, contract);
    return {
      ...(isNullable(contract, side) ? orNull(schema) : schema),
      ...described(contract.comment),
      ...(example === undefined ? {} : { examples: [example] }),
    };
  }

  function field(contract: FieldContract, side: Side): Schema {
    const single = { ...singleSchema(contract, side), ...contract.keywords };
    if (contract.map) {
      return { type: 'object', additionalProperties: single };
    }
    return contract.repeated ? { type: 'array', items: single } : single;
  }

  function singleSchema(contract: FieldContract, side: Side): Schema {
    if (contract.format !== undefined) {
      return formatSchemas[contract.format];
    }
    if (contract.enumeration !== undefined) {
      return enumSchema(contract.enumeration);
    }
    return contract.message === undefined || contract.kind === 'timestamp'
      ? scalarSchema(contract)
      : message(contract.message, side);
  }

  const enumSchema = (enumeration: Enum): Schema =>
    once(enumeration.name, enumeration, () => {
      const names = [...enumNames(enumeration)];
      const values = names.map(([name, number]) => {
        const comment = textOf(enumeration.comments[enumeration.valuesById[number] ?? '']);
        return comment === '' ? [] : [`- \`${name}\`: ${say(comment)}`];
      });
      const text = textOf(enumeration.comment);
      return {
        type: 'string',
        enum: names.map(([name]) => name),
        ...(text === '' ? {} : { description: [say(text), '', ...values.flat()].join('\n').trim() }),
        examples: [names[0]?.[0]],
      };
    });

  return {
    message,
    body,
    field,
    selection,
    add: (name, schema) => once(name, name, () => schema),
    exampleOf: (type, contract) => composer.field(type, contract),
    all,
  };
}

const withoutFields = (example: Record<string, unknown>, names: ReadonlySet<string>): object =>
  Object.fromEntries(Object.entries(example).filter(([name]) => !names.has(name)));

const isAlwaysThere = ({ required, omitWhenUnset }: FieldContract, side: Side): boolean =>
  side === 'request' ? required : !omitWhenUnset;

/** Every message and time can be missing on the wire; those that are declared optional really may be. A request's null is a missing field. */
function isNullable({ optional, omitWhenUnset, required }: FieldContract, side: Side): boolean {
  return optional && (side === 'request' ? !required : !omitWhenUnset);
}

function orNull(schema: Schema): Schema {
  if (!('type' in schema)) {
    return { anyOf: [schema, { type: 'null' }] };
  }
  const { type, enum: values } = schema as { type: string; enum?: unknown[] };
  return { ...schema, type: [type, 'null'], ...(values ? { enum: [...values, null] } : {}) };
}

const formatSchemas: Record<NonNullable<FieldContract['format']>, Schema> = {
  JSON_OBJECT: { type: 'object', additionalProperties: true },
  MONEY: { type: 'number' },
  PAGE: { type: 'integer', format: 'int32', minimum: 1, maximum: HIGHEST_PAGE, default: 1 },
  FILTER: {
    type: 'string',
    contentMediaType: 'application/json',
    contentSchema: { $ref: '#/components/schemas/Filter' },
  },
  BIT: { type: 'integer', enum: [0, 1] },
  DATE: { type: 'string', format: 'date' },
};

function scalarSchema({ kind, scalar }: FieldContract): Schema {
  switch (kind) {
    case 'bytes':
      return { type: 'string', format: 'byte' };
    case 'bool':
      return { type: 'boolean' };
    case 'integer':
      return { type: 'integer', format: scalar.endsWith('64') ? 'int64' : 'int32' };
    case 'float':
      return { type: 'number' };
    case 'timestamp':
      return { type: 'string', format: 'date-time' };
    default:
      return { type: 'string' };
  }
}
