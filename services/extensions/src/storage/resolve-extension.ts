import type { Queryable } from '@sabia/service-kit/postgres/database';
import type { StoredExtension } from '../domain/extension';
import { extensionColumns } from './extensions';

/** With why the account is suspended; null: it is not. */
export interface ResolvedExtension extends StoredExtension {
  suspensionReason: string | null;
}

const resolvedColumns = `${extensionColumns},
  (SELECT s.reason FROM suspended_accounts s WHERE s.account_id = extensions.account_id) AS "suspensionReason"`;

export async function findById(db: Queryable, accountId: number, id: number): Promise<ResolvedExtension | undefined> {
  const [extension] = await db.query<ResolvedExtension>(
    `SELECT ${resolvedColumns} FROM extensions WHERE account_id = $1 AND id = $2`,
    [accountId, id],
    { name: 'find-by-id' },
  );
  return extension;
}

export interface NamedExtension {
  accountId: number;
  ramal: string;
}

/** For each of those asked for its extension, looked up one by one in the index of numbers. */
export async function findByRamal(
  db: Queryable,
  asked: readonly NamedExtension[],
): Promise<(ResolvedExtension | undefined)[]> {
  const found = await db.query<ResolvedExtension>(
    `SELECT found.* FROM unnest($1::bigint[], $2::text[]) AS asked (of_account, with_ramal) CROSS JOIN LATERAL (
       SELECT ${resolvedColumns} FROM extensions WHERE account_id = of_account AND ramal = with_ramal LIMIT 1
     ) AS found`,
    [asked.map(({ accountId }) => accountId), asked.map(({ ramal }) => ramal)],
    { name: 'find-by-ramal' },
  );
  const keyOf = ({ accountId, ramal }: NamedExtension): string => `${accountId} ${ramal}`;
  const byKey = new Map(found.map((extension) => [keyOf(extension), extension]));
  return asked.map((extension) => byKey.get(keyOf(extension)));
}

export async function findBySipId(db: Queryable, sipId: string): Promise<ResolvedExtension | undefined> {
  const [extension] = await db.query<ResolvedExtension>(
    `SELECT ${resolvedColumns} FROM extensions WHERE sip_id = $1`,
    [sipId],
    { name: 'find-by-sip-id' },
  );
  return extension;
}

/**
 * A number belongs to the account that the operator gave it to, whoever shows it. Several of its extensions may show it; registered ones
 * are preferred.
 */
export async function findByBina(
  db: Queryable,
  bina: string,
  accountId: number | undefined,
): Promise<ResolvedExtension | undefined> {
  const [extension] = await db.query<ResolvedExtension>(
    `SELECT ${resolvedColumns} FROM extensions
     WHERE bina = $1 AND account_id = coalesce($2::bigint, (
       SELECT n.account_id FROM numbers n WHERE n.number = $1
     ))
     ORDER BY registered DESC, id
     LIMIT 1`,
    [bina, accountId ?? null],
    { name: 'find-by-bina' },
  );
  return extension;
}
