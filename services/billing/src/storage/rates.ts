import type { Queryable, Transaction } from '@sabia/service-kit/postgres/database';
import { fromDecimal } from '../domain/money';
import type { Rate } from '../domain/rate-book';

export interface RateRow {
  prefix: string;
  description: string;
  minute_price: string;
  minimum_seconds: number;
  increment_seconds: number;
  valid_from: Date;
  valid_to: Date | null;
}

export interface DeckVersion {
  id: number;
  name: string;
  version: number;
}

/** A number that changes with every change of any deck. */
export async function readRatesVersion(db: Queryable): Promise<number> {
  const [row] = await db.query<{ version: number }>('SELECT version FROM rates_version', [], { name: 'rates-version' });
  return row!.version;
}

export function readDeckVersions(db: Queryable): Promise<DeckVersion[]> {
  return db.query<DeckVersion>('SELECT id, name, version FROM rate_decks');
}

export async function readDeckAssignments(db: Queryable): Promise<{ accountId: number; deckId: number }[]> {
  return db.query('SELECT account_id AS "accountId", deck_id AS "deckId" FROM account_rate_decks');
}

const pageSize = 20_000;

/** Reads in pages, so that a large deck blocks neither a long statement nor the event loop. */
export async function* readRates(db: Queryable, deckId: number): AsyncGenerator<Rate[]> {
  let after: [string, Date] = ['', new Date(0)];
  for (;;) {
    const rows = await db.query<RateRow>(
      `SELECT prefix, description, minute_price, minimum_seconds, increment_seconds, valid_from, valid_to
       FROM rates WHERE deck_id = $1 AND (prefix, valid_from) > ($2, $3) ORDER BY prefix, valid_from LIMIT ${pageSize}`,
      [deckId, ...after],
      { name: 'read-rates' },
    );
    yield rows.map(toRate);
    const last = rows.at(-1);
    if (last === undefined || rows.length < pageSize) {
      return;
    }
    after = [last.prefix, last.valid_from];
  }
}

/** Finds or creates the deck and locks it, so that two imports of one deck are serialised. */
export async function lockDeck(tx: Transaction, name: string): Promise<DeckVersion> {
  await tx.query('INSERT INTO rate_decks (name) VALUES ($1) ON CONFLICT (name) DO NOTHING', [name]);
  const [deck] = await tx.query<DeckVersion>('SELECT id, name, version FROM rate_decks WHERE name = $1 FOR UPDATE', [
    name,
  ]);
  return deck!;
}

export async function assignDeck(tx: Transaction, accountId: number, deckId: number): Promise<void> {
  await tx.query(
    `INSERT INTO account_rate_decks (account_id, deck_id) VALUES ($1, $2)
     ON CONFLICT (account_id) DO UPDATE SET deck_id = excluded.deck_id`,
    [accountId, deckId],
  );
}

/** Makes every replica read the deck again. */
export async function announceDeck(tx: Transaction, deckId: number): Promise<void> {
  await tx.query('UPDATE rate_decks SET version = version + 1, updated_at = now() WHERE id = $1', [deckId]);
  await tx.query('UPDATE rates_version SET version = version + 1');
}

export async function hasRates(db: Queryable): Promise<boolean> {
  const [row] = await db.query<{ found: boolean }>('SELECT EXISTS (SELECT FROM rates) AS found');
  return row!.found;
}

export function toRate(row: RateRow): Rate {
  return {
    prefix: row.prefix,
    description: row.description,
    minutePrice: fromDecimal(row.minute_price),
    minimumSeconds: row.minimum_seconds,
    incrementSeconds: row.increment_seconds,
    validFrom: row.valid_from,
    validTo: row.valid_to ?? undefined,
  };
}
