import type { Transaction } from '@sabia/service-kit/postgres/database';
import { toDecimal } from '../domain/money';
import type { ImportedRate } from '../domain/rate-csv';

export interface ImportCounts {
  added: number;
  changed: number;
  unchanged: number;
  /** Prefixes of the deck that the file does not name; they end when the import replaces the deck. */
  absent: number;
}

/** Stages an import in a temporary table, to compare it with the deck in one statement. */
export interface Staging {
  importId: string;
  importedAt: Date;
}

export async function stageRates(
  tx: Transaction,
  { importId, importedAt }: Staging,
  rates: { line: number; rate: ImportedRate }[],
): Promise<void> {
  await tx.query(
    `INSERT INTO staged_rates (import_id, line, prefix, valid_from, valid_to, minute_price, minimum_seconds,
                               increment_seconds, description, dated)
     SELECT $10::uuid, s.* FROM unnest($1::integer[], $2::text[], $3::timestamptz[], $4::timestamptz[], $5::numeric[], $6::integer[],
                          $7::integer[], $8::text[], $9::boolean[]) AS s`,
    [
      rates.map(({ line }) => line),
      rates.map(({ rate }) => rate.prefix),
      rates.map(({ rate }) => (rate.validFrom ?? importedAt).toISOString()),
      rates.map(({ rate }) => rate.validTo?.toISOString() ?? null),
      rates.map(({ rate }) => toDecimal(rate.minutePrice)),
      rates.map(({ rate }) => rate.minimumSeconds),
      rates.map(({ rate }) => rate.incrementSeconds),
      rates.map(({ rate }) => rate.description),
      rates.map(({ rate }) => rate.validFrom !== undefined),
      importId,
    ],
  );
}

/** Lines about the same prefix from the same time on. */
export async function findRepeated(
  tx: Transaction,
  { importId }: Staging,
  limit: number,
): Promise<{ prefix: string; lines: number[] }[]> {
  return tx.query(
    `SELECT prefix, array_agg(line ORDER BY line) AS lines FROM staged_rates WHERE import_id = $1
     GROUP BY prefix, valid_from HAVING count(*) > 1 ORDER BY min(line) LIMIT $2`,
    [importId, limit],
  );
}

/** Each staged line ($3) beside the rate that the deck ($1) has in its place at the time of the import ($2). */
const comparedLines = `SELECT i.*, EXISTS (SELECT FROM rates r WHERE r.deck_id = $1 AND r.prefix = i.prefix) AS known,
       c.minute_price AS price_before,
       coalesce((i.minute_price, i.minimum_seconds, i.increment_seconds, i.description)
                = (c.minute_price, c.minimum_seconds, c.increment_seconds, c.description)
                AND c.valid_to IS NOT DISTINCT FROM i.valid_to, false) AS same
FROM staged_rates i
LEFT JOIN LATERAL (
  SELECT r.* FROM rates r
  WHERE r.deck_id = $1 AND r.prefix = i.prefix
    AND CASE WHEN i.dated THEN r.valid_from = i.valid_from
             ELSE r.valid_from <= $2 AND (r.valid_to IS NULL OR r.valid_to > $2) END
  ORDER BY r.valid_from DESC LIMIT 1
) c ON true
WHERE i.import_id = $3`;

export interface RateDifference {
  prefix: string;
  change: 'added' | 'changed' | 'ended';
  /** Decimals of reais; null: there is none. */
  priceBefore: string | null;
  priceAfter: string | null;
  validFrom: Date;
}

/** What applying the staged lines changes, by prefix. */
export async function listDifferences(
  tx: Transaction,
  { importId, importedAt }: Staging,
  { deckId, replace }: { deckId: number; replace: boolean },
  limit: number,
): Promise<RateDifference[]> {
  return tx.query<RateDifference>(
    `WITH compared AS (${comparedLines})
     SELECT prefix, CASE WHEN known THEN 'changed' ELSE 'added' END AS change, price_before AS "priceBefore",
            minute_price AS "priceAfter", valid_from AS "validFrom"
     FROM compared WHERE NOT same
     UNION ALL
     SELECT r.prefix, 'ended', r.minute_price, NULL, $2::timestamptz
     FROM rates r
     WHERE $4 AND r.deck_id = $1 AND (r.valid_to IS NULL OR r.valid_to > $2)
       AND NOT EXISTS (SELECT FROM staged_rates i WHERE i.import_id = $3 AND i.prefix = r.prefix)
     ORDER BY prefix, "validFrom" LIMIT $5`,
    [deckId, importedAt, importId, replace, limit],
  );
}

/**
 * Applies the staged lines to the deck. An undated line that equals the current rate changes nothing; a different one is valid
 * from the import on, and the previous rate stays as history. A dated line replaces one of the same date.
 */
export async function applyStaged(
  tx: Transaction,
  { importId, importedAt }: Staging,
  deckId: number,
  replace: boolean,
): Promise<ImportCounts> {
  await tx.query('ANALYZE staged_rates');
  const [counts] = await tx.query<Omit<ImportCounts, 'absent'>>(
    `WITH compared AS (
       ${comparedLines}
     ), written AS (
       INSERT INTO rates AS r (deck_id, prefix, valid_from, valid_to, minute_price, minimum_seconds, increment_seconds, description)
       SELECT $1, prefix, valid_from, valid_to, minute_price, minimum_seconds, increment_seconds, description
       FROM compared WHERE NOT same
       ON CONFLICT (deck_id, prefix, valid_from) DO UPDATE
       SET valid_to = excluded.valid_to, minute_price = excluded.minute_price, minimum_seconds = excluded.minimum_seconds,
           increment_seconds = excluded.increment_seconds, description = excluded.description
     )
     SELECT count(*) FILTER (WHERE NOT same AND NOT known) AS added, count(*) FILTER (WHERE NOT same AND known) AS changed,
            count(*) FILTER (WHERE same) AS unchanged
     FROM compared`,
    [deckId, importedAt, importId],
  );
  const absent = await endAbsent(tx, { importId, importedAt }, deckId, replace);
  await tx.query('DELETE FROM staged_rates WHERE import_id = $1', [importId]);
  // Replicas read the deck as soon as this is committed, sooner than autovacuum would look at it.
  await tx.query('ANALYZE rates');
  return { ...counts!, absent };
}

async function endAbsent(
  tx: Transaction,
  { importId, importedAt }: Staging,
  deckId: number,
  replace: boolean,
): Promise<number> {
  const absent = `deck_id = $1 AND (valid_to IS NULL OR valid_to > $2)
                  AND NOT EXISTS (SELECT FROM staged_rates i WHERE i.import_id = $3 AND i.prefix = rates.prefix)`;
  const values = [deckId, importedAt, importId];
  const [row] = await tx.query<{ count: number }>(
    `SELECT count(DISTINCT prefix) AS count FROM rates WHERE ${absent}`,
    values,
  );
  if (replace) {
    await tx.query(`DELETE FROM rates WHERE ${absent} AND valid_from >= $2`, values);
    await tx.query(`UPDATE rates SET valid_to = $2 WHERE ${absent}`, values);
  }
  return row!.count;
}
