import { randomUUID } from 'node:crypto';
import type { Database, Transaction } from '@sabia/service-kit/postgres/database';
import { CsvError, parse } from 'csv-parse';
import { checkColumns, parseRate } from './domain/rate-csv';
import type { ImportedRate, RateRow } from './domain/rate-csv';
import { fileSource } from './rate-source';
import type { RateSource } from './rate-source';
import { applyStaged, findRepeated, listDifferences, stageRates } from './storage/import-rates';
import type { ImportCounts, RateDifference, Staging } from './storage/import-rates';
import { announceDeck, assignDeck, lockDeck } from './storage/rates';

export interface ImportOptions {
  deck: string;
  /** Assigns the deck to this account. */
  accountId?: number;
  /** Compares and reports without changing anything. */
  dryRun?: boolean;
  /** Prefixes that the file does not name end now. */
  replace?: boolean;
  now?: () => Date;
  onProgress?: (progress: ImportProgress) => void;
  /** Runs in the transaction of an import that is applied. */
  onApplied?: (tx: Transaction, deckId: number, report: ImportReport) => Promise<void>;
}

export interface FileImportOptions extends ImportOptions {
  file: string;
}

export interface ImportProgress {
  lines: number;
  /** From 0 to 1. */
  done: number;
}

export interface ImportReport extends ImportCounts {
  deck: string;
  lines: number;
  dryRun: boolean;
  applied: boolean;
  /** Problems of the first wrong lines; if there is any, nothing is imported. */
  problems: { line: number; problem: string }[];
  problemCount: number;
  /** The first of them, by prefix. */
  differences: RateDifference[];
}

const chunkSize = 5_000;
const reportedProblems = 50;
const reportedDifferences = 1_000;
const uncounted: ImportCounts = { added: 0, changed: 0, unchanged: 0, absent: 0 };

/** Thrown to return the report from a transaction that must be rolled back. */
class NotApplied extends Error {
  constructor(readonly report: ImportReport) {
    super('the import was not applied');
  }
}

export async function importRateFile(
  database: Database,
  { file, ...options }: FileImportOptions,
): Promise<ImportReport> {
  return importRates(database, await fileSource(file), options);
}

/** Reads a CSV of rates into a deck: the whole of it or nothing. */
export async function importRates(
  database: Database,
  source: RateSource,
  options: ImportOptions,
): Promise<ImportReport> {
  const staging: Staging = { importId: randomUUID(), importedAt: (options.now ?? (() => new Date()))() };
  try {
    return await database.transaction(async (tx) => {
      const deck = await lockDeck(tx, options.deck);
      const reading = await readInto(tx, staging, source, options);
      const repeated = await findRepeated(tx, staging, reportedProblems);
      for (const { prefix, lines } of repeated) {
        reading.refuse(lines.at(-1)!, `prefix ${prefix} stands on lines ${lines.join(', ')} for the same time`);
      }
      const comparison = { deckId: deck.id, replace: options.replace ?? false };
      const differences =
        repeated.length > 0 ? [] : await listDifferences(tx, staging, comparison, reportedDifferences);
      const counts = repeated.length > 0 ? uncounted : await applyStaged(tx, staging, deck.id, comparison.replace);
      const applied = reading.problemCount === 0 && !options.dryRun;
      const report: ImportReport = {
        deck: options.deck,
        lines: reading.lines,
        dryRun: options.dryRun ?? false,
        applied,
        ...counts,
        problems: reading.problems,
        problemCount: reading.problemCount,
        differences,
      };
      if (!applied) {
        throw new NotApplied(report);
      }
      if (options.accountId !== undefined) {
        await assignDeck(tx, options.accountId, deck.id);
      }
      await options.onApplied?.(tx, deck.id, report);
      await announceDeck(tx, deck.id);
      return report;
    });
  } catch (error) {
    if (error instanceof NotApplied) {
      return error.report;
    }
    throw error;
  }
}

interface Reading {
  lines: number;
  problems: ImportReport['problems'];
  problemCount: number;
  refuse(line: number, problem: string): void;
}

async function readInto(
  tx: Transaction,
  staging: Staging,
  source: RateSource,
  { onProgress }: ImportOptions,
): Promise<Reading> {
  const reading: Reading = {
    lines: 0,
    problems: [],
    problemCount: 0,
    refuse(line, problem) {
      reading.problemCount++;
      if (reading.problems.length < reportedProblems) {
        reading.problems.push({ line, problem });
      }
    },
  };
  let chunk: { line: number; rate: ImportedRate }[] = [];
  const flush = async (): Promise<void> => {
    await stageRates(tx, staging, chunk);
    chunk = [];
  };

  try {
    for await (const { line, bytes, row } of readRows(source)) {
      reading.lines++;
      const parsed = parseRate(row);
      if ('rate' in parsed) {
        chunk.push({ line, rate: parsed.rate });
      } else {
        parsed.problems.forEach((problem) => reading.refuse(line, problem));
      }
      if (reading.lines % chunkSize === 0) {
        await flush();
        onProgress?.({ lines: reading.lines, done: source.bytes === 0 ? 1 : bytes / source.bytes });
      }
    }
  } catch (error) {
    if (!(error instanceof CsvError || error instanceof HeaderError)) {
      throw error;
    }
    reading.refuse(error instanceof HeaderError ? 1 : Number(error.lines ?? 0), error.message);
  }
  await flush();
  onProgress?.({ lines: reading.lines, done: 1 });
  return reading;
}

class HeaderError extends Error {}

async function* readRows(source: RateSource): AsyncGenerator<{ line: number; bytes: number; row: RateRow }> {
  const stream = source.open();
  const parser = parse({
    delimiter: delimiterOf(source.head),
    bom: true,
    trim: true,
    skip_empty_lines: true,
    info: true,
    columns: (header: string[]) => {
      const problems = checkColumns(header);
      if (problems.length > 0) {
        throw new HeaderError(problems.join('; '));
      }
      return header.map((name) => name.trim().toLowerCase());
    },
  });
  stream.on('error', (error) => parser.destroy(error));
  stream.pipe(parser);
  try {
    for await (const { info, record } of parser as AsyncIterable<{
      info: { lines: number; bytes: number };
      record: RateRow;
    }>) {
      yield { line: info.lines, bytes: info.bytes, row: record };
    }
  } finally {
    stream.destroy();
  }
}

/** Spreadsheets in Brazil separate by semicolons, because the comma is their decimal point. */
function delimiterOf(head: string): string {
  const [header = ''] = head.split(/\r?\n/);
  return header.includes(';') ? ';' : header.includes('\t') ? '\t' : ',';
}
