import { createHash } from 'node:crypto';
import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';

export interface MigrationDirectory {
  set: string;
  path: string;
}

export interface MigrationFile {
  set: string;
  name: string;
  path: string;
  sql: string;
  checksum: string;
  /** The index that the file makes while others write to its table; such a file runs outside of a transaction. */
  concurrentIndex?: ConcurrentIndex;
}

export interface ConcurrentIndex {
  name: string;
  table: string;
  /** The rest of the statement. */
  definition: string;
}

const namePattern = /^\d{4}(_[a-z0-9]+)+\.sql$/;
/** Inside a function body these words never stand as a whole line that ends in a semicolon. */
const transactionControl =
  /^\s*(begin|start\s+transaction|commit|rollback|abort|end\s+transaction)(\s+(work|transaction))?\s*;/im;

const comments = /--[^\n]*/g;
const concurrentStatement = /^\s*create\s+index\s+concurrently\s+(\w+)\s+on\s+(\w+)\s*([^;]*);?\s*$/i;

export async function readMigrationFiles({ set, path }: MigrationDirectory): Promise<MigrationFile[]> {
  const names = (await readdir(path)).filter((name) => name.endsWith('.sql')).sort();
  checkNames(names, path);
  return Promise.all(
    names.map(async (name) => {
      const file = join(path, name);
      // Line endings depend on how the repository was checked out; the checksum must not.
      const sql = (await readFile(file, 'utf8')).replaceAll('\r\n', '\n');
      checkStatements(sql, file);
      const concurrentIndex = readConcurrentIndex(sql, file);
      return { set, name: name.slice(0, -'.sql'.length), path: file, sql, checksum: sha256(sql), concurrentIndex };
    }),
  );
}

export function checkNames(names: string[], path: string): void {
  const numbers = new Map<string, string>();
  for (const name of names) {
    if (!namePattern.test(name)) {
      throw new Error(`${join(path, name)}: a migration is named NNNN_verb_noun.sql`);
    }
    const number = name.slice(0, 4);
    const twin = numbers.get(number);
    if (twin !== undefined) {
      throw new Error(`${path}: ${twin} and ${name} have the same number`);
    }
    numbers.set(number, name);
  }
}

/** A file that commits by itself could be left half done. */
export function checkStatements(sql: string, file: string): void {
  const match = transactionControl.exec(sql);
  if (match !== null) {
    throw new Error(`${file}: "${match[0].trim()}" is not allowed, each migration is one transaction already`);
  }
}

/** The index, if the file is one CREATE INDEX CONCURRENTLY; with other statements it could be left half done. */
export function readConcurrentIndex(sql: string, file: string): ConcurrentIndex | undefined {
  const statements = sql.replace(comments, '');
  if (!/\bconcurrently\b/i.test(statements)) {
    return undefined;
  }
  const [, name, table, definition] = concurrentStatement.exec(statements) ?? [];
  if (name === undefined || table === undefined || definition === undefined) {
    throw new Error(`${file}: CREATE INDEX CONCURRENTLY name ON … must be the only statement of its file`);
  }
  return { name, table, definition };
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
