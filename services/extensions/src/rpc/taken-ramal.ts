import { invalid } from '@sabia/service-kit/errors';
import type { Queryable } from '@sabia/service-kit/postgres/database';
import { taken } from '@sabia/service-kit/validation/violations';
import type { Violations } from '@sabia/service-kit/validation/violations';
import { isRamalCollision, isRamalTaken } from '../storage/ramal-uniqueness';
import type { WantedRamal } from '../storage/ramal-uniqueness';

/** Checked only if there are other violations, to report all of them at once; otherwise the constraint decides. */
export async function addTakenRamal(
  db: Queryable,
  violations: Violations,
  { ramal, ...wanted }: Omit<WantedRamal, 'ramal'> & { ramal: string | undefined },
): Promise<void> {
  if (!violations.any || violations.has('ramal') || ramal === undefined) {
    return;
  }
  if (await isRamalTaken(db, { ...wanted, ramal })) {
    violations.add('ramal', ...taken);
  }
}

/** A lost race reads like a late check. */
export async function namingTakenRamal<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (isRamalCollision(error)) {
      throw invalid('extension', [{ field: 'ramal', code: taken[0], message: taken[1] }]);
    }
    throw error;
  }
}
