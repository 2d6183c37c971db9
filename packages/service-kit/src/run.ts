import type { Service } from './chassis';
import type { ChassisConfig } from './config';
import { createLogger } from './logging';
import type { Logger } from './logging';
import { switchOff } from './plain-paths';
import { migrate } from './postgres/migrate';
import { endOnFailures, readConfig, serve } from './process';
import type { Host } from './process';

export interface RunOptions<Config extends { chassis: ChassisConfig }> {
  name: string;
  loadConfig: () => Config;
  create: (config: Config, overrides: { log: Logger }) => Service;
  /** The folder of the service's own migrations; those of the chassis come before it. */
  migrations: string;
}

// sysexits.h
const EXIT_USAGE = 64;

const usage = 'Usage: main.js [serve | migrate [--wait SECONDS]]';

/**
 * Everything that a main.ts does: `main.js` serves until it is stopped, `main.js migrate` migrates and exits. `--wait` waits for a
 * database that is away or not set up yet.
 */
export async function run<Config extends { chassis: ChassisConfig }>(
  options: RunOptions<Config>,
  host: Host & { argv: readonly string[] } = process,
): Promise<void> {
  const [, , command = 'serve', ...rest] = host.argv;
  if (command !== 'serve' && command !== 'migrate') {
    host.stderr.write(`Unknown command "${command}". ${usage}\n`);
    host.exit(EXIT_USAGE);
    return;
  }
  const waitMs = readWait(command, rest);
  if (waitMs === undefined) {
    host.stderr.write(`Not understood: "${rest.join(' ')}". ${usage}\n`);
    host.exit(EXIT_USAGE);
    return;
  }
  const config = readConfig(options, host);
  if (config === undefined) {
    return;
  }
  const log = createLogger({ name: options.name, level: config.chassis.logLevel });
  const die = endOnFailures(log, host);
  try {
    if (command === 'migrate') {
      const directories = [{ set: options.name, path: options.migrations }];
      const { applied } = await migrate({ url: config.chassis.databaseUrl, directories, log, waitMs });
      log.info({ applied }, applied.length === 0 ? 'nothing to migrate' : 'migrated');
      host.exit(0);
    } else {
      switchOff(config.chassis.plainPaths ?? new Set());
      await serve(options.create(config, { log }), host, log);
    }
  } catch (error) {
    die(error, command === 'migrate' ? 'migration failed' : 'could not start');
  }
}

function readWait(command: string, rest: string[]): number | undefined {
  if (rest.length === 0) return 0;
  const [option, seconds = ''] = rest;
  const isUnderstood = command === 'migrate' && rest.length === 2 && option === '--wait' && /^\d{1,5}$/.test(seconds);
  return isUnderstood ? Number(seconds) * 1_000 : undefined;
}
