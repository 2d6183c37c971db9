import { checkLine } from '@sabia/service-kit/validation/text-field';
import type { Violations } from '@sabia/service-kit/validation/violations';

const label = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
const maximumLength = 253;

/** One DNS label in front of the configured suffix. */
export function isAccountDomain(domain: string, suffix: string): boolean {
  return domain.endsWith(suffix) && label.test(domain.slice(0, -suffix.length));
}

export function checkAccountDomain(
  violations: Violations,
  field: string,
  value: string | undefined,
  suffix: string,
): string {
  const domain = checkLine(violations, field, value, maximumLength).toLowerCase();
  if (domain !== '' && !isAccountDomain(domain, suffix)) {
    violations.add(field, 'format', `must be one name of letters, digits and hyphens followed by "${suffix}"`);
  }
  return domain;
}
