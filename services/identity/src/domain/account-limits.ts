import { Violations } from '@sabia/service-kit/validation/violations';

/** What an account may have at most; null: what the platform allows every account. */
export interface AccountLimits {
  liveCalls: number | null;
  extensions: number | null;
  users: number | null;
  /** Days for which its recordings are kept. */
  recordingRetentionDays: number | null;
}

const highest = 1_000_000;
const mostDays = 3650;

/** 0 is refused: an account that may do nothing is suspended, and is told why. */
export function checkLimits(wanted: Partial<Record<keyof AccountLimits, number>>): AccountLimits {
  const violations = new Violations();
  const check = (name: keyof AccountLimits, most = highest): number | null => {
    const limit = wanted[name] ?? null;
    if (limit !== null && (limit < 1 || limit > most)) {
      violations.add(name, 'range', `must be 1 to ${most}, or null for what the platform allows every account`);
    }
    return limit;
  };
  const limits = {
    liveCalls: check('liveCalls'),
    extensions: check('extensions'),
    users: check('users'),
    recordingRetentionDays: check('recordingRetentionDays', mostDays),
  };
  violations.throwIfAny('account');
  return limits;
}
