import { invalid } from '@sabia/service-kit/errors';
import type { Queryable } from '@sabia/service-kit/postgres/database';
import { Violations, taken } from '@sabia/service-kit/validation/violations';
import { findTaken, takenFirst } from '../storage/uniqueness';
import type { WantedNames } from '../storage/uniqueness';

type Context = 'account' | 'user';

export async function refuseTaken(db: Queryable, context: Context, wanted: WantedNames, now: Date): Promise<void> {
  const violations = new Violations();
  for (const field of await findTaken(db, wanted, now)) {
    violations.add(field, ...taken);
  }
  violations.throwIfAny(context);
}

/** A lost race reads like a late check: 422 on the field whose value another request took first. */
export async function namingTakenFields<T>(context: Context, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    const field = takenFirst(error);
    if (field !== undefined) {
      throw invalid(context, [{ field, code: taken[0], message: taken[1] }]);
    }
    throw error;
  }
}
