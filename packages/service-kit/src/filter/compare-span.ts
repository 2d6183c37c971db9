import type { Condition, Moment, Target } from './checked-filter';
import type { Comparison } from './resource';
import { invalidFilter, quote } from './invalid-filter';
import { readDate } from './read-date';
import type { Span } from './read-date';

export function equalSpan(target: Target, name: string, value: unknown): Condition {
  const { from, until } = requireDate(name, value);
  if (until === undefined) {
    return compare(target, '=', from);
  }
  return { kind: 'and', conditions: [compare(target, '>=', from), compare(target, '<', until)] };
}

export function compareSpan(
  target: Target,
  name: string,
  operator: Exclude<Comparison, '='>,
  value: unknown,
): Condition {
  const { from, until } = requireDate(name, value);
  if (until === undefined || operator === '>=' || operator === '<') {
    return compare(target, operator, from);
  }
  // After a day means after all of it; up to a day includes all of it.
  return compare(target, operator === '>' ? '>=' : '<', until);
}

function compare(target: Target, operator: Comparison, moment: Moment): Condition {
  return { kind: 'compare', target, operator, operand: { type: 'timestamp', value: moment } };
}

function requireDate(name: string, value: unknown): Span {
  const span = readDate(value);
  if (span === undefined) {
    throw invalidFilter(`${quote(value)} cannot be compared with ${quote(name)}: it is not a date (ISO 8601)`);
  }
  return span;
}
