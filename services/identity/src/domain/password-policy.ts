import { blank } from '@sabia/service-kit/validation/violations';
import type { Violations } from '@sabia/service-kit/validation/violations';

export const minimumPasswordLength = 8;
export const maximumPasswordLength = 256;

export function checkPassword(violations: Violations, field: string, value: string | undefined): string {
  if (value === undefined || value === '') {
    violations.add(field, ...blank);
    return '';
  }
  // Counts characters as users see them: an emoji is one, not two.
  const length = Array.from(value).length;
  if (length < minimumPasswordLength) {
    violations.add(field, 'length', `must be at least ${minimumPasswordLength} characters long`);
  } else if (length > maximumPasswordLength) {
    violations.add(field, 'length', `must be at most ${maximumPasswordLength} characters long`);
  }
  return value;
}
