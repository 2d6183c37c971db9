import type { Condition, Target } from './checked-filter';
import { invalidFilter, quote } from './invalid-filter';
import { isObject } from './read-json';
import type { JsonObject } from './read-json';
import type { Comparison, NamedField } from './resource';

const jsonNumber = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/;
const longestNumber = 40;

export const readContains = (field: NamedField, value: JsonObject): Condition => ({
  kind: 'contains',
  field,
  json: JSON.stringify(value),
});

/** Equality inside json is containment, because that is what an index on the column can answer. A number and its text are equal. */
export function readJsonEqual({ field, path }: Target, name: string, value: unknown): Condition {
  if (path.length === 0) {
    if (!isObject(value)) {
      throw invalidFilter(`${quote(name)} can be compared with an object or null, or by a path such as "${name}.key"`);
    }
    return readContains(field, value);
  }
  if (isObject(value) || Array.isArray(value)) {
    throw invalidFilter(`${quote(name)} can be compared with a plain value only`);
  }
  if (path.some((segment) => /^\d+$/.test(segment))) {
    // A number may be a place in an array, which containment does not know.
    return { kind: 'compare', target: { field, path }, operator: '=', operand: { type: 'text', value: String(value) } };
  }
  const conditions = spellings(value).map((spelling): Condition => ({
    kind: 'contains',
    field,
    json: JSON.stringify(path.reduceRight<unknown>((inner, segment) => ({ [segment]: inner }), spelling)),
  }));
  return { kind: 'or', conditions };
}

/** Text order, unless the operand is a number. */
export function readJsonComparison(
  target: Target,
  name: string,
  operator: Exclude<Comparison, '='>,
  value: unknown,
): Condition {
  if (target.path.length === 0 || (typeof value !== 'string' && typeof value !== 'number')) {
    throw invalidFilter(`${quote(value)} cannot be ordered against ${quote(name)}`);
  }
  return {
    kind: 'compare',
    target,
    operator,
    operand: typeof value === 'number' ? { type: 'decimal', value: String(value) } : { type: 'text', value },
  };
}

function spellings(value: unknown): unknown[] {
  if (typeof value !== 'string') {
    return [value, String(value)];
  }
  if (value === 'true' || value === 'false') {
    return [value, value === 'true'];
  }
  const isNumber = value.length <= longestNumber && jsonNumber.test(value) && Number.isFinite(Number(value));
  return isNumber ? [value, Number(value)] : [value];
}
