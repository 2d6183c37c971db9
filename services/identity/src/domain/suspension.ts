import { checkLine } from '@sabia/service-kit/validation/text-field';
import { Violations } from '@sabia/service-kit/validation/violations';

const longestReason = 500;

/** The words that a suspended account is told. */
export function checkReason(reason: string | undefined): string {
  const violations = new Violations();
  const checked = checkLine(violations, 'reason', reason, longestReason);
  violations.throwIfAny('suspension');
  return checked;
}
