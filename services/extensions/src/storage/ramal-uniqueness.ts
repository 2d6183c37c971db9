import { invalid } from '@sabia/service-kit/errors';
import type { Queryable } from '@sabia/service-kit/postgres/database';
import { isUniqueViolation } from '@sabia/service-kit/postgres/errors';
import { taken } from '@sabia/service-kit/validation/violations';
import type { Violations } from '@sabia/service-kit/validation/violations';

/** Checked only if there are other violations, to report all of them at once; otherwise the constraint decides. */
export async function addTakenRamal(
  db: Queryable,
  violations: Violations,
  wanted: { accountId: number; ramal: string | undefined; exceptId?: number },
): Promise<void> {
  if (!violations.any || violations.has('ramal') || wanted.ramal === undefined) {
    return;
  }
  const rows = await db.query(
    'SELECT FROM extensions WHERE account_id = $1 AND ramal = $2 AND id IS DISTINCT FROM $3',
    [wanted.accountId, wanted.ramal, wanted.exceptId ?? null],
    { name: 'find-taken-ramal' },
  );
  if (rows.length > 0) {
    violations.add('ramal', ...taken);
  }
}

export async function namingTakenRamal<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (isUniqueViolation(error, 'extensions_ramal_key')) {
      throw invalid('extension', [{ field: 'ramal', code: taken[0], message: taken[1] }]);
    }
    throw error;
  }
}
