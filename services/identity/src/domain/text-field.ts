import { blank } from './violations';
import type { Violations } from './violations';

/** NUL is refused by PostgreSQL, line breaks would reach mail headers: a line of text has neither. */
// eslint-disable-next-line no-control-regex
const controlCharacter = /[\u0000-\u001f\u007f]/;

/** A required line of text, trimmed. Answers '' after noting a violation. */
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
