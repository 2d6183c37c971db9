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
}

const namePattern = /^\d{4}(_[a-z0-9]+)+\.sql$/;
/** Inside a function body these words never stand as a whole line that ends in a semicolon. */
const transactionControl =
  /^\s*(begin|start\s+transaction|commit|rollback|abort|end\s+transaction)(\s+(work|transaction))?\s*;/im;

export async function readMigrationFiles({ set, path }: MigrationDirectory): Promise<MigrationFile[]> {
  const names = (await readdir(path)).filter((name) => name.endsWith('.sql')).sort();
  checkNames(names, path);
  return Promise.all(
    names.map(async (name) => {
      const file = join(path, name);
      // Line endings depend on how the repository was checked out; the checksum must not.
      const sql = (await readFile(file, 'utf8')).replaceAll('\r\n', '\n');
      checkStatements(sql, file);
      return { set, name: name.slice(0, -'.sql'.length), path: file, sql, checksum: sha256(sql) };
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

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
