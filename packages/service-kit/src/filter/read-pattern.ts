import type { Condition, Target } from './checked-filter';
import { invalidFilter, quote } from './invalid-filter';

const maximumPatternLength = 500;

/** Types whose values read as text; a pattern on anything else is a mistake. */
const searchable = new Set(['text', 'integer', 'decimal', 'uuid']);

export function readPattern(target: Target, name: string, operator: string, value: unknown): string {
  if (!searchable.has(target.field.type) && target.path.length === 0) {
    throw invalidFilter(`${quote(operator)} cannot be used on ${quote(name)}, which is of type ${target.field.type}`);
  }
  if (typeof value !== 'string' && typeof value !== 'number') {
    throw invalidFilter(`${quote(operator)} on ${quote(name)} needs a text`);
  }
  const pattern = String(value);
  if (pattern.length > maximumPatternLength) {
    throw invalidFilter(`the pattern on ${quote(name)} is longer than ${maximumPatternLength} characters`);
  }
  return operator === 'regexp' ? pattern : closeEscape(pattern);
}

/** A backslash at the end escapes nothing, which PostgreSQL refuses; it can only mean itself. */
function closeEscape(pattern: string): string {
  const [backslashes = ''] = /\\*$/.exec(pattern) ?? [];
  return backslashes.length % 2 === 1 ? `${pattern}\\` : pattern;
}

export function readRegexp(target: Target, name: string, value: unknown): Condition {
  const text = readPattern(target, name, 'regexp', value);
  const literal = /^\/(.*)\/([a-z]*)$/s.exec(text);
  const [, pattern = text, flags = ''] = literal ?? [];
  if (/[^gimu]/.test(flags)) {
    throw invalidFilter(`the regular expression on ${quote(name)} has unknown flags ${quote(flags)}`);
  }
  return { kind: 'regexp', target, pattern, ignoreCase: flags.includes('i') };
}
