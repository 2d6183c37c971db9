import type { Field, Type } from 'protobufjs';
import { Enum, MapField, Type as MessageType } from 'protobufjs';
import { commentOf } from './comment';

export type Format = 'JSON_OBJECT' | 'MONEY' | 'PAGE' | 'FILTER' | 'BIT' | 'DATE';

const formats: ReadonlySet<string> = new Set<Format>(['JSON_OBJECT', 'MONEY', 'PAGE', 'FILTER', 'BIT', 'DATE']);

export type FieldKind = 'string' | 'bytes' | 'bool' | 'integer' | 'float' | 'enum' | 'timestamp' | 'message';

/** A field as the transcoder sees it, gathered from the proto and its sabia.api.v1 options. */
export interface FieldContract {
  /** As written in the proto. */
  name: string;
  number: number;
  jsonName: string;
  /** Every name under which a client may send the field, the documented one first. */
  inputNames: string[];
  kind: FieldKind;
  /** The scalar type as written in the proto, e.g. "int32". */
  scalar: string;
  /** Of a string: the enum whose names are its values. */
  enumeration?: Enum;
  message?: Type;
  format?: Format;
  repeated: boolean;
  /** `kind` is then the kind of the values; JSON keys are always strings. */
  map: boolean;
  /** Whether "not given" and zero differ on the wire. */
  tracksPresence: boolean;
  /** Declared "optional" in the proto: a message that may be missing. */
  optional: boolean;
  omitWhenUnset: boolean;
  /** An explicit null stands for an empty object. */
  nullEmpties: boolean;
  /** For a filter: query parameters that filter as well, `name` or `name=field`. */
  parameters: string[];
  /** A string that may be sent as a number. */
  digits: boolean;
  /** The service refuses a request without it. */
  required: boolean;
  /** Set by the header If-None-Match, and by nothing else. */
  ifNoneMatch: boolean;
  /** What the proto tells API users about the field. */
  comment: string;
  /** Keywords of JSON Schema that its options give: lengths, bounds, values. */
  keywords: Record<string, unknown>;
}

const integerTypes = new Set([
  'int32',
  'uint32',
  'sint32',
  'fixed32',
  'sfixed32',
  'int64',
  'uint64',
  'sint64',
  'fixed64',
  'sfixed64',
]);
const timestampType = '.google.protobuf.Timestamp';

export function fieldContracts(type: Type): FieldContract[] {
  return type.fieldsArray.map(fieldContract);
}

function fieldContract(field: Field): FieldContract {
  field.resolve();
  const options = fieldOptions(field);
  const jsonName = jsonNameOf(field);
  const kind = kindOf(field);
  const map = field instanceof MapField;
  return {
    name: field.name,
    number: field.id,
    jsonName,
    inputNames: [...new Set([jsonName, ...options.aliases, field.name])],
    kind,
    scalar: field.type,
    enumeration: field.resolvedType instanceof Enum ? field.resolvedType : valuesOf(field, options.valuesOf),
    message: field.resolvedType instanceof MessageType ? field.resolvedType : undefined,
    format: options.format,
    repeated: field.repeated,
    map,
    tracksPresence: !field.repeated && !map && (field.partOf !== null || kind === 'message' || kind === 'timestamp'),
    optional: field.partOf !== null,
    omitWhenUnset: options.omitWhenUnset,
    nullEmpties: options.nullEmpties,
    parameters: options.parameters,
    digits: options.digits,
    required: options.required,
    ifNoneMatch: options.ifNoneMatch,
    comment: commentOf(field),
    keywords: options.keywords,
  };
}

function kindOf(field: Field): FieldKind {
  if (field.resolvedType instanceof Enum) {
    return 'enum';
  }
  if (field.resolvedType !== null) {
    return field.resolvedType.fullName === timestampType ? 'timestamp' : 'message';
  }
  if (field.type === 'string' || field.type === 'bytes' || field.type === 'bool') {
    return field.type;
  }
  return integerTypes.has(field.type) ? 'integer' : 'float';
}

interface FieldOptions {
  format?: Format;
  omitWhenUnset: boolean;
  nullEmpties: boolean;
  digits: boolean;
  required: boolean;
  ifNoneMatch: boolean;
  aliases: string[];
  parameters: string[];
  valuesOf?: string;
  keywords: Record<string, unknown>;
}

/** Options that become keywords of JSON Schema as they are. */
const keywordOptions: Record<string, string> = {
  min_length: 'minLength',
  max_length: 'maxLength',
  pattern: 'pattern',
  text_format: 'format',
  minimum: 'minimum',
  maximum: 'maximum',
  exclusive_minimum: 'exclusiveMinimum',
  exclusive_maximum: 'exclusiveMaximum',
};

function fieldOptions(field: Field): FieldOptions {
  const merged: Record<string, unknown> = {};
  for (const option of parsedOptions(field)) {
    Object.assign(merged, option['(sabia.api.v1.field)']);
  }
  const { format, aliases, parameters } = merged;
  return {
    format: formatOf(field, format),
    omitWhenUnset: merged['omit_when_unset'] === true,
    nullEmpties: merged['null_empties'] === true,
    digits: merged['digits'] === true,
    required: merged['required'] === true,
    ifNoneMatch: merged['if_none_match'] === true,
    aliases: listOf(aliases),
    parameters: listOf(parameters),
    valuesOf: merged['values_of'] as string | undefined,
    keywords: keywordsOf(merged),
  };
}

function keywordsOf(options: Record<string, unknown>): Record<string, unknown> {
  const values = listOf(options['values']);
  const plain = Object.entries(keywordOptions).flatMap(([option, keyword]) =>
    options[option] === undefined ? [] : [[keyword, options[option]] as const],
  );
  return { ...Object.fromEntries(plain), ...(values.length > 0 ? { enum: values } : {}) };
}

function valuesOf(field: Field, name: string | undefined): Enum | undefined {
  return name === undefined ? undefined : field.root.lookupEnum(name);
}

/** protobufjs gives a single value of a repeated option without a list around it. */
const listOf = (option: unknown): string[] => (option === undefined ? [] : [option].flat().map(String));

function formatOf(field: Field, option: unknown): Format | undefined {
  if (option === undefined || option === 'FORMAT_UNSPECIFIED') {
    return undefined;
  }
  const format = typeof option === 'string' ? option.replace(/^FORMAT_/, '') : '';
  if (!formats.has(format)) {
    throw new Error(`${field.fullName} has an unknown format`);
  }
  return format as Format;
}

/** protobufjs collects options as a list of one-entry objects; its types leave them open. */
function parsedOptions(field: Field): Record<string, Record<string, unknown>>[] {
  return (field.parsedOptions as unknown as Record<string, Record<string, unknown>>[] | null) ?? [];
}

/** The json_name option, or the name that protobuf derives: underscores go, the letter after each is capitalised. */
function jsonNameOf(field: Field): string {
  const given: unknown = field.options?.['json_name'];
  return typeof given === 'string' ? given : field.name.replace(/_+(.?)/g, (_, letter: string) => letter.toUpperCase());
}
