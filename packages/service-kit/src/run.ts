import { setLogger } from '@grpc/grpc-js';
import type { Service } from './chassis';
import { ConfigError } from './config';
import type { ChassisConfig } from './config';
import { createLogger } from './logging';
import type { Logger } from './logging';
import { switchOff } from './plain-paths';
import { migrate } from './postgres/migrate';

export interface RunOptions<Config extends { chassis: ChassisConfig }> {
  name: string;
  loadConfig: () => Config;
  create: (config: Config, overrides: { log: Logger }) => Service;
  /** The folder of the service's own migrations; those of the chassis come before it. */
  migrations: string;
}

/** The parts of a process that run uses; tests replace them. */
export interface Host {
  argv: readonly string[];
  stderr: { write(text: string): unknown };
  exit(code: number): void;
  on(event: string, listener: (reason: unknown) => void): unknown;
}

// sysexits.h
const EXIT_USAGE = 64;
const EXIT_CONFIG = 78;

const usage = 'Usage: main.js [serve | migrate [--wait SECONDS]]';

/**
 * Everything that a main.ts does: `main.js` serves until it is stopped, `main.js migrate` migrates and exits. `--wait` waits for a
 * database that is away or not set up yet.
 */
export async function run<Config extends { chassis: ChassisConfig }>(
  options: RunOptions<Config>,
  host: Host = process,
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
  let config: Config;
  try {
    config = options.loadConfig();
  } catch (error) {
    if (!(error instanceof ConfigError)) {
      throw error;
    }
    host.stderr.write(`${options.name}: ${error.message}\n`);
    host.exit(EXIT_CONFIG);
    return;
  }

  const log = createLogger({ name: options.name, level: config.chassis.logLevel });
  const die = (reason: unknown, message: string): void => {
    log.fatal({ err: reason }, message);
    host.exit(1);
  };
  host.on('uncaughtException', (error) => die(error, 'uncaught exception'));
  host.on('unhandledRejection', (reason) => die(reason, 'unhandled rejection'));
  setLogger(grpcConsole(log));

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

async function serve(service: Service, host: Host, log: Logger): Promise<void> {
  let stopping = false;
  const onSignal = (signal: string): void => {
    if (stopping) {
      log.warn({ signal }, 'second signal, exiting immediately');
      host.exit(1);
      return;
    }
    stopping = true;
    log.info({ signal }, 'stopping');
    void service.stop().then(() => {
      log.info('stopped');
      host.exit(0);
    });
  };
  host.on('SIGTERM', () => onSignal('SIGTERM'));
  host.on('SIGINT', () => onSignal('SIGINT'));
  try {
    await service.start();
  } catch (error) {
    // Stopped while starting: the failure is a consequence of that.
    if (!stopping) {
      throw error;
    }
  }
}

/** grpc-js writes plain text to stderr; here it becomes lines of the same log. */
function grpcConsole(log: Logger): Partial<Console> {
  const write =
    (level: 'debug' | 'info' | 'error') =>
    (...parts: unknown[]): void =>
      log[level]({ source: 'grpc-js' }, parts.map(String).join(' '));
  return { error: write('error'), info: write('info'), debug: write('debug') };
}
