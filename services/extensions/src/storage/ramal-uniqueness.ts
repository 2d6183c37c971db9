import type { Queryable } from '@sabia/service-kit/postgres/database';
import { isUniqueViolation } from '@sabia/service-kit/postgres/errors';

export interface WantedRamal {
  accountId: number;
  ramal: string;
  exceptId?: number;
}

export async function isRamalTaken(db: Queryable, { accountId, ramal, exceptId }: WantedRamal): Promise<boolean> {
  const rows = await db.query(
    'SELECT FROM extensions WHERE account_id = $1 AND ramal = $2 AND id IS DISTINCT FROM $3',
    [accountId, ramal, exceptId ?? null],
    { name: 'find-taken-ramal' },
  );
  return rows.length > 0;
}

/** Another extension took the number first. */
export const isRamalCollision = (error: unknown): boolean => isUniqueViolation(error, 'extensions_ramal_key');
