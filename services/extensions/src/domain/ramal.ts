import { blank } from '@sabia/service-kit/validation/violations';
import type { Violations } from '@sabia/service-kit/validation/violations';

const pattern = /^[0-9]{3,10}$/;

/** Returns '' after adding a violation. */
export function checkRamal(violations: Violations, value: string | undefined): string {
  const ramal = (value ?? '').trim();
  if (ramal === '') {
    violations.add('ramal', ...blank);
    return '';
  }
  if (!pattern.test(ramal)) {
    violations.add('ramal', 'format', 'must be 3 to 10 digits');
    return '';
  }
  return ramal;
}
