import { allOf } from './checked-filter';
import type { Condition, Target } from './checked-filter';
import { invalidFilter, quote } from './invalid-filter';
import { readContains, readJsonComparison, readJsonEqual } from './read-json-condition';
import { asList, isObject } from './read-json';
import { impossible, readOperand } from './read-operand';
import { readPattern, readRegexp } from './read-pattern';
import { readTarget } from './read-target';
import type { Comparison, Resource } from './resource';
import { compareSpan, equalSpan } from './compare-span';

const operators = [
  'eq',
  'neq',
  'gt',
  'gte',
  'lt',
  'lte',
  'between',
  'inq',
  'nin',
  'like',
  'nlike',
  'ilike',
  'nilike',
  'regexp',
] as const;
type Operator = (typeof operators)[number];

const isOperator = (name: string): name is Operator => (operators as readonly string[]).includes(name);

const comparisons = { gt: '>', gte: '>=', lt: '<', lte: '<=' } as const;

const maximumConditions = 500;

export function readWhere(resource: Resource, value: unknown): Condition | undefined {
  if (value === undefined || value === null) {
    return undefined;
  }
  const condition = readGroup(resource, value, '"where"');
  if (condition !== undefined && size(condition) > maximumConditions) {
    throw invalidFilter(`"where" holds more than ${maximumConditions} conditions`);
  }
  return condition;
}

function readGroup(resource: Resource, value: unknown, part: string): Condition | undefined {
  if (!isObject(value)) {
    throw invalidFilter(`${part} must be an object`);
  }
  return allOf(Object.entries(value).flatMap(([name, operand]) => readEntry(resource, name, operand)));
}

function readEntry(resource: Resource, name: string, operand: unknown): Condition[] {
  if (name === 'and' || name === 'or') {
    if (!isObject(operand) && !Array.isArray(operand)) {
      throw invalidFilter(`${quote(name)} must be a list of conditions`);
    }
    const groups = asList(operand).map((item) => readGroup(resource, item, `an element of ${quote(name)}`));
    const conditions = groups.filter((group) => group !== undefined);
    // {} matches every row, and so does an `or` that contains it.
    const saysNothing = conditions.length === 0 || (name === 'or' && conditions.length < groups.length);
    return saysNothing ? [] : [{ kind: name, conditions }];
  }
  const target = readTarget(resource, name);
  if (!isObject(operand)) {
    return [Array.isArray(operand) ? readAny(target, name, operand) : readEqual(target, name, operand)];
  }
  const keys = Object.keys(operand);
  const isJson = target.field.type === 'json' && target.path.length === 0;
  // An object holds either operators or, for a json field, the members that the field must contain.
  if (isJson && !keys.some((key) => key.startsWith('$')) && (keys.length === 0 || !keys.every(isOperator))) {
    return [readContains(target.field, operand)];
  }
  if (keys.length === 0) {
    throw invalidFilter(`${quote(name)} has an empty object where a value or an operator is expected`);
  }
  return Object.entries(operand).map(([operator, value]) => {
    if (!isOperator(operator)) {
      throw invalidFilter(
        `${quote(name)} has the unknown operator ${quote(operator)}; there are ${operators.join(', ')}`,
      );
    }
    return readOperation(target, name, operator, value);
  });
}

function readOperation(target: Target, name: string, operator: Operator, value: unknown): Condition {
  switch (operator) {
    case 'eq':
      return readEqual(target, name, value);
    case 'neq':
      return not(readEqual(target, name, value));
    case 'gt':
    case 'gte':
    case 'lt':
    case 'lte':
      return readComparison(target, name, comparisons[operator], value);
    case 'between': {
      const bounds = asList(value);
      if (bounds.length !== 2) {
        throw invalidFilter(`"between" on ${quote(name)} needs a list of two values`);
      }
      const [low, high] = bounds;
      return {
        kind: 'and',
        conditions: [readComparison(target, name, '>=', low), readComparison(target, name, '<=', high)],
      };
    }
    case 'inq':
      return readAny(target, name, asList(value));
    case 'nin':
      return not(readAny(target, name, asList(value)));
    case 'like':
    case 'ilike':
      return {
        kind: 'like',
        target,
        pattern: readPattern(target, name, operator, value),
        ignoreCase: operator === 'ilike',
      };
    case 'nlike':
    case 'nilike':
      return not({
        kind: 'like',
        target,
        pattern: readPattern(target, name, operator, value),
        ignoreCase: operator === 'nilike',
      });
    case 'regexp':
      return readRegexp(target, name, value);
  }
}

function readEqual(target: Target, name: string, value: unknown): Condition {
  const { field } = target;
  const isWord = field.type === 'text' || field.type === 'json';
  // A query string has no other way to write null; in a text field "null" is an ordinary value.
  if (value === null || (value === 'null' && !isWord)) {
    return { kind: 'null', target };
  }
  if (field.type === 'json') {
    return readJsonEqual(target, name, value);
  }
  if (field.type === 'timestamp') {
    return equalSpan(target, name, value);
  }
  const operand = readOperand(field.type, value);
  if (operand === undefined) {
    throw wrongOperand(name, value, field.type);
  }
  if (operand === impossible || (field.type === 'integer' && operand.type === 'decimal')) {
    return { kind: 'constant', value: false };
  }
  if (operand.type === 'text' && field.read !== undefined) {
    return { kind: 'compare', target, operator: '=', operand: { type: 'text', value: field.read(operand.value) } };
  }
  return { kind: 'compare', target, operator: '=', operand };
}

function readComparison(target: Target, name: string, operator: Exclude<Comparison, '='>, value: unknown): Condition {
  const { field } = target;
  if (field.type === 'json') {
    return readJsonComparison(target, name, operator, value);
  }
  if (field.type === 'timestamp') {
    return compareSpan(target, name, operator, value);
  }
  const operand = field.type === 'boolean' ? undefined : readOperand(field.type, value);
  if (operand === undefined || operand === impossible) {
    throw wrongOperand(name, value, field.type);
  }
  return { kind: 'compare', target, operator, operand };
}

/** Scalars become one array parameter; null, dates and places inside json keep their own conditions. */
function readAny(target: Target, name: string, values: unknown[]): Condition {
  const conditions = values.map((value) => {
    if (isObject(value) || Array.isArray(value)) {
      throw invalidFilter(`the list on ${quote(name)} must hold plain values`);
    }
    return readEqual(target, name, value);
  });
  const operands = conditions.flatMap((condition) => (condition.kind === 'compare' ? condition.operand : []));
  const others = conditions.filter((condition) => condition.kind !== 'compare' && condition.kind !== 'constant');
  const alternatives: Condition[] = operands.length > 0 ? [{ kind: 'any', target, operands }, ...others] : others;
  return alternatives.length === 0 ? { kind: 'constant', value: false } : { kind: 'or', conditions: alternatives };
}

const not = (condition: Condition): Condition => ({ kind: 'not', condition });

const wrongOperand = (name: string, value: unknown, type: string) =>
  invalidFilter(`${quote(value)} cannot be compared with ${quote(name)}, which is of type ${type}`);

function size(condition: Condition): number {
  switch (condition.kind) {
    case 'and':
    case 'or':
      return condition.conditions.reduce((sum, part) => sum + size(part), 0);
    case 'not':
      return size(condition.condition);
    default:
      return 1;
  }
}
