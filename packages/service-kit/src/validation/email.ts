import { checkLine } from './text-field';
import type { Violations } from './violations';

const maximumLength = 254;
const atom = "[a-z0-9!#$%&'*+/=?^_`{|}~-]+";
const label = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?';
const pattern = new RegExp(`^${atom}(?:\\.${atom})*@(?:${label}\\.)+${label}$`, 'i');

/** One person, one spelling: addresses are compared in lower case. */
export const normalizeEmail = (email: string): string => email.trim().toLowerCase();

export const isEmail = (email: string): boolean => email.length <= maximumLength && pattern.test(email);

/** Kept as it was written. */
export function checkEmail(violations: Violations, field: string, value: string | undefined): string {
  const email = checkLine(violations, field, value, maximumLength);
  if (email !== '' && !isEmail(email)) {
    violations.add(field, 'format', 'is not a valid e-mail address');
  }
  return email;
}
