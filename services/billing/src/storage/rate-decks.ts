import type { PageMeta } from '@sabia/protos/sabia/api/v1/page';
import { listPage } from '@sabia/service-kit/filter/page';
import { readFilter } from '@sabia/service-kit/filter/read-filter';
import { defineResource, pageLimits } from '@sabia/service-kit/filter/resource';
import type { Database, Queryable, Transaction } from '@sabia/service-kit/postgres/database';
import { chargeTimeZone } from '../domain/calendar';
import { defaultDeckName } from '../domain/rate-book';
import type { Rate } from '../domain/rate-book';
import { assignDeck, toRate } from './rates';
import type { RateRow } from './rates';

/** Rate decks as operators see them. */
export interface DeckSummary {
  name: string;
  prefixes: number;
  accounts: number;
  updatedAt: Date;
}

export async function listDecks(db: Queryable, now: Date): Promise<DeckSummary[]> {
  return db.query<DeckSummary>(
    `SELECT d.name, d.updated_at AS "updatedAt",
            (SELECT count(DISTINCT r.prefix) FROM rates r
             WHERE r.deck_id = d.id AND r.valid_from <= $1 AND (r.valid_to IS NULL OR r.valid_to > $1)) AS prefixes,
            (SELECT count(*) FROM account_rate_decks a WHERE a.deck_id = d.id) AS accounts
     FROM rate_decks d ORDER BY d.name`,
    [now],
  );
}

export async function findDeckId(db: Queryable, name: string): Promise<number | undefined> {
  const [deck] = await db.query<{ id: number }>('SELECT id FROM rate_decks WHERE name = $1', [name]);
  return deck?.id;
}

/** A deck has many rates, so its id takes the place that the account has in other lists. */
const rateResource = defineResource({
  name: 'rate',
  columns: 'prefix, description, minute_price, minimum_seconds, increment_seconds, valid_from, valid_to',
  from: 'rates',
  tenant: 'deck_id',
  key: '(prefix, valid_from)',
  fields: {
    prefix: { type: 'text', sql: 'prefix' },
    description: { type: 'text', sql: 'description' },
    minutePrice: { type: 'decimal', sql: 'minute_price' },
    minimumSeconds: { type: 'integer', sql: 'minimum_seconds' },
    incrementSeconds: { type: 'integer', sql: 'increment_seconds' },
    validFrom: { type: 'timestamp', sql: 'valid_from' },
    validTo: { type: 'timestamp', sql: 'valid_to' },
  },
  indexed: ['prefix'],
  defaultOrder: { field: 'prefix', descending: false },
  ...pageLimits,
});

export async function listDeckRates(
  database: Database,
  { deckId, filter: text, page }: { deckId: number; filter: string | undefined; page: number },
): Promise<{ rates: Rate[]; meta: PageMeta }> {
  const filter = readFilter(rateResource, text, chargeTimeZone);
  const { rows, meta } = await listPage<RateRow>(database, rateResource, { accountId: deckId, filter, page });
  return { rates: rows.map(toRate), meta };
}

export interface DeckImport {
  id: number;
  at: Date;
  operatorName: string;
  sha256: string;
  lines: number;
  added: number;
  changed: number;
  ended: number;
}

export async function insertImport(
  tx: Transaction,
  deckId: number,
  { at, operatorName, sha256, lines, added, changed, ended }: Omit<DeckImport, 'id'>,
): Promise<void> {
  await tx.query(
    `INSERT INTO rate_imports (deck_id, at, operator_name, sha256, lines, added, changed, ended)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
    [deckId, at, operatorName, sha256, lines, added, changed, ended],
  );
}

const importResource = defineResource({
  name: 'import',
  columns: 'id, at, operator_name AS "operatorName", sha256, lines, added, changed, ended',
  from: 'rate_imports',
  tenant: 'deck_id',
  key: 'id',
  fields: { id: { type: 'integer', sql: 'id' } },
  defaultOrder: { field: 'id', descending: true },
  ...pageLimits,
});

export async function listImports(
  database: Database,
  { deckId, page }: { deckId: number; page: number },
): Promise<{ rows: DeckImport[]; meta: PageMeta }> {
  const filter = readFilter(importResource, undefined, chargeTimeZone);
  return listPage<DeckImport>(database, importResource, { accountId: deckId, filter, page });
}

/** The deck named "default" is that of every account without one of its own. */
export async function giveDeck(tx: Transaction, accountId: number, deck: { id: number; name: string }): Promise<void> {
  if (deck.name === defaultDeckName) {
    await tx.query('DELETE FROM account_rate_decks WHERE account_id = $1', [accountId]);
  } else {
    await assignDeck(tx, accountId, deck.id);
  }
  await tx.query('UPDATE rates_version SET version = version + 1');
}

export async function findDeckOf(db: Queryable, accountId: number): Promise<string> {
  const [deck] = await db.query<{ name: string }>(
    'SELECT d.name FROM account_rate_decks a JOIN rate_decks d ON d.id = a.deck_id WHERE a.account_id = $1',
    [accountId],
  );
  return deck?.name ?? defaultDeckName;
}
