import fc from 'fast-check';
import type { Schema } from './document-validator';

/** Makes values that a schema allows. `resolve` follows its references. */
export function validValues(schema: Schema, resolve: (reference: string) => Schema): fc.Arbitrary<unknown> {
  const of = (inner: unknown): fc.Arbitrary<unknown> => validValues(inner as Schema, resolve);
  if (typeof schema['$ref'] === 'string') {
    return of(resolve(schema['$ref']));
  }
  if (schema['const'] !== undefined) {
    return fc.constant(schema['const']);
  }
  if (Array.isArray(schema['enum'])) {
    return fc.constantFrom(...(schema['enum'] as unknown[]));
  }
  if (Array.isArray(schema['anyOf'])) {
    return fc.oneof(...(schema['anyOf'] as unknown[]).map(of));
  }
  const types = [schema['type'] ?? 'object'].flat() as string[];
  return fc.oneof(...types.map((type) => valueOf(type, schema, of)));
}

function valueOf(type: string, schema: Schema, of: (inner: unknown) => fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  switch (type) {
    case 'null':
      return fc.constant(null);
    case 'boolean':
      return fc.boolean();
    case 'integer':
      return fc.integer(boundsOf(schema, { min: -(2 ** 31), max: 2 ** 31 - 1 }));
    case 'number':
      return fc
        .integer(boundsOf(schema, { min: -1_000_000, max: 1_000_000 }))
        .map((value) => (schema['exclusiveMinimum'] === undefined ? value : value + 0.5))
        .filter((value) => value < ((schema['exclusiveMaximum'] as number | undefined) ?? Infinity));
    case 'array':
      return fc.array(of(schema['items']), { maxLength: 3 });
    case 'string':
      return textOf(schema);
    default:
      return objectOf(schema, of);
  }
}

function boundsOf(schema: Schema, widest: { min: number; max: number }): { min: number; max: number } {
  const bound = (...names: string[]) => names.map((name) => schema[name]).find((value) => typeof value === 'number');
  return {
    min: Math.max(widest.min, bound('minimum', 'exclusiveMinimum') ?? widest.min),
    max: Math.min(widest.max, bound('maximum', 'exclusiveMaximum') ?? widest.max),
  };
}

/** What users write: any characters, and those that trouble programs. */
const anyText = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 40 }),
  fc.constantFrom(
    '',
    ' ',
    "O'Brien; DROP TABLE calls",
    '<script>alert(1)</script>',
    '%00',
    '../../etc/passwd',
    '🐦',
    'null',
  ),
);

function textOf(schema: Schema): fc.Arbitrary<string> {
  const { minLength = 0, maxLength = 60 } = schema as { minLength?: number; maxLength?: number };
  const { pattern, format, contentMediaType } = schema as Record<string, string | undefined>;
  if (pattern !== undefined) {
    return fc.stringMatching(new RegExp(pattern));
  }
  if (contentMediaType === 'application/json') {
    return filterText;
  }
  switch (format) {
    case 'uuid':
      return fc.uuid();
    case 'email':
      return fc.emailAddress();
    case 'date':
      return fc
        .date({ min: new Date('2020-01-01'), max: new Date('2030-01-01'), noInvalidDate: true })
        .map((date) => date.toISOString().slice(0, 10));
    case 'date-time':
      return fc
        .date({ min: new Date('2020-01-01'), max: new Date('2030-01-01'), noInvalidDate: true })
        .map((date) => date.toISOString());
    default:
      return minLength > 0
        ? fc.string({ minLength, maxLength: Math.max(minLength, Math.min(maxLength, 60)) })
        : anyText.filter((text) => text.length <= maxLength);
  }
}

/** Filters without `fields`, which leave fields out of the answer that it otherwise always has. */
const filterText = fc
  .record(
    {
      where: fc.dictionary(
        fc.oneof(
          fc.constantFrom('id', 'from', 'status', 'metadata.a', 'duration', 'createdAt', 'and', 'email', 'kind'),
          fc.string(),
        ),
        fc.oneof(
          fc.string(),
          fc.integer(),
          fc.constant(null),
          fc.record({ gt: fc.jsonValue() }),
          fc.record({ like: fc.string() }),
          fc.jsonValue(),
        ),
        { maxKeys: 2 },
      ),
      order: fc.oneof(fc.constantFrom('id ASC', 'id DESC', 'colour'), fc.string()),
      limit: fc.integer({ min: 0, max: 2000 }),
      offset: fc.integer({ min: 0, max: 20 }),
    },
    { requiredKeys: [] },
  )
  .map((filter) => JSON.stringify(filter));

function objectOf(schema: Schema, of: (inner: unknown) => fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  const properties = schema['properties'] as Record<string, Schema> | undefined;
  if (properties === undefined) {
    return fc.dictionary(fc.string({ maxLength: 10 }), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 3 });
  }
  const required = (schema['required'] ?? []) as string[];
  return fc.record(Object.fromEntries(Object.entries(properties).map(([name, property]) => [name, of(property)])), {
    requiredKeys: required,
  });
}

/** Values that break a schema in some way: other types, other lengths, fields that are missing or too many. */
export function brokenValues(schema: Schema, resolve: (reference: string) => Schema): fc.Arbitrary<unknown> {
  const strange = fc.oneof(
    fc.jsonValue({ maxDepth: 3 }),
    fc.constantFrom<unknown>(
      'x'.repeat(3_000),
      'a\u0000b',
      '\ud800',
      -1,
      0,
      1e300,
      2 ** 63,
      0.1,
      [],
      {},
      [[[[]]]],
      { $gt: '' },
      { __proto__: { admin: true } },
      true,
    ),
  );
  const valid = validValues(schema, resolve);
  return fc.oneof(
    strange,
    fc.tuple(valid, fc.string(), strange, fc.nat()).map(([value, key, other, index]) => {
      if (typeof value !== 'object' || value === null || Array.isArray(value)) {
        return other;
      }
      const names = Object.keys(value);
      const name = names.length === 0 ? key : names[index % names.length]!;
      return index % 4 === 0
        ? Object.fromEntries(Object.entries(value).filter(([each]) => each !== name))
        : { ...value, [name]: other };
    }),
  );
}
