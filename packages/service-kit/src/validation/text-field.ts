import { blank } from './violations';
import type { Violations } from './violations';

/** NUL is refused by PostgreSQL, line breaks would reach mail and SIP headers: a line of text has neither. */
const controlCharacter = /[\p{Cc}\u2028\u2029]/u;

/** A required line of text, trimmed. Returns '' after noting a violation. */
export function checkLine(violations: Violations, field: string, value: string | undefined, maximum: number): string {
  const text = (value ?? '').trim().toWellFormed();
  if (text === '') {
    violations.add(field, ...blank);
    return '';
  }
  if (text.length > maximum) {
    violations.add(field, 'length', `must be at most ${maximum} characters long`);
    return '';
  }
  if (controlCharacter.test(text)) {
    violations.add(field, 'format', 'must not contain control characters');
    return '';
  }
  return text;
}
