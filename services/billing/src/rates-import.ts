import { accessSync, constants, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { createLogger } from '@sabia/service-kit/logging';
import { createDatabase } from '@sabia/service-kit/postgres/database';
import { loadImportConfig } from './config';
import type { ImportConfig } from './config';
import { defaultDeckName } from './domain/rate-book';
import { importRateFile } from './rate-file';
import type { FileImportOptions, ImportProgress } from './rate-file';
import { describeReport } from './rate-report';

const usage = `Usage: npm run rates:import -- [file] [--deck name] [--account id] [--replace] [--dry-run] [--help]

  file         a CSV with the columns prefix, minute_price and, if you like, description, minimum_seconds,
               increment_seconds, valid_from, valid_to; the sample deck when left out
  --deck       the deck to import into; "${defaultDeckName}" when left out
  --account    gives the deck to this account as its own
  --replace    rates of the deck that the file does not name end now
  --dry-run    says what would change and changes nothing

The database is that of DATABASE_URL, or of the stack in SABIA_HOME.
`;

/** A mistake in the command line. */
class UsageError extends Error {}

void main();

async function main(): Promise<void> {
  try {
    const args = process.argv.slice(2);
    if (args.includes('--help') || args.includes('-h')) {
      process.stdout.write(usage);
      return;
    }
    process.exitCode = await run(readArguments(args, loadImportConfig()));
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    if (error instanceof UsageError) {
      process.stderr.write(`\n${usage}`);
    }
    process.exitCode = 64;
  }
}

async function run({ url, options }: { url: string; options: FileImportOptions }): Promise<number> {
  const log = createLogger({ name: 'rates-import', level: 'warn' });
  const database = createDatabase({
    url,
    applicationName: 'sabia rates import',
    poolSize: 1,
    log,
    statementTimeoutMs: 600_000,
  });
  try {
    const report = await importRateFile(database, { ...options, onProgress: createProgressLine() });
    process.stderr.write(process.stderr.isTTY ? '\r\x1b[K' : '');
    process.stdout.write(describeReport(report, options));
    return report.problemCount > 0 ? 1 : 0;
  } finally {
    await database.close();
  }
}

function readArguments(args: string[], config: ImportConfig): { url: string; options: FileImportOptions } {
  let parsed;
  try {
    parsed = parseArgs({
      args,
      allowPositionals: true,
      options: {
        deck: { type: 'string', default: defaultDeckName },
        account: { type: 'string' },
        replace: { type: 'boolean', default: false },
        'dry-run': { type: 'boolean', default: false },
      },
    });
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
  const { values, positionals } = parsed;
  if (positionals.length > 1) {
    throw new UsageError('One file at a time.');
  }
  if (values.account !== undefined && !/^[1-9]\d{0,14}$/.test(values.account)) {
    throw new UsageError('--account takes the number of an account.');
  }
  const [given] = positionals;
  const file = given === undefined ? path.join(__dirname, '../rates/sample.csv') : path.resolve(config.cwd, given);
  checkReadable(file);
  return {
    url: config.databaseUrl ?? stackUrl(config.stackFile),
    options: {
      file,
      deck: values.deck,
      accountId: values.account === undefined ? undefined : Number(values.account),
      replace: values.replace,
      dryRun: values['dry-run'],
    },
  };
}

function checkReadable(file: string): void {
  try {
    accessSync(file, constants.R_OK);
  } catch {
    throw new UsageError(`There is no file ${file} that can be read.`);
  }
  if (!statSync(file).isFile()) {
    throw new UsageError(`${file} is no file.`);
  }
}

/** The stack's own user may become any role; the work is done as billing's. */
function stackUrl(stackFile: string): string {
  let stack: { postgresUrl?: string };
  try {
    stack = JSON.parse(readFileSync(stackFile, 'utf8')) as typeof stack;
  } catch {
    throw new UsageError('Set DATABASE_URL, or start the stack first (npm start).');
  }
  const url = new URL(stack.postgresUrl ?? '');
  url.searchParams.set('options', '-c role=sabia_billing -c search_path=billing');
  return url.href;
}

function createProgressLine(): (progress: ImportProgress) => void {
  let shown = '';
  return ({ lines, done }) => {
    const text = `${lines} lines read, ${Math.floor(done * 100)} %`;
    if (text !== shown) {
      process.stderr.write(process.stderr.isTTY ? `\r\x1b[K${text}` : `${text}\n`);
      shown = text;
    }
  };
}
