import { setLogger } from '@grpc/grpc-js';
import { ConfigError } from './config';
import { letHeapGrow } from './heap-growth';
import type { Logger } from './logging';

/** The parts of a process that are used here; tests replace them. */
export interface Host {
  stderr: { write(text: string): unknown };
  exit(code: number): void;
  on(event: string, listener: (reason: unknown) => void): unknown;
}

// sysexits.h
const EXIT_CONFIG = 78;

/** Undefined: the configuration is wrong, and the process ends. */
export function readConfig<Config>(
  { name, loadConfig }: { name: string; loadConfig: () => Config },
  host: Pick<Host, 'stderr' | 'exit'>,
): Config | undefined {
  try {
    return loadConfig();
  } catch (error) {
    if (!(error instanceof ConfigError)) {
      throw error;
    }
    host.stderr.write(`${name}: ${error.message}\n`);
    host.exit(EXIT_CONFIG);
    return undefined;
  }
}

/** What nobody catches ends the process, with a line in the log; returns how to end it so. */
export function endOnFailures(
  log: Logger,
  host: Pick<Host, 'exit' | 'on'>,
): (reason: unknown, message: string) => void {
  const die = (reason: unknown, message: string): void => {
    log.fatal({ err: reason }, message);
    host.exit(1);
  };
  host.on('uncaughtException', (error) => die(error, 'uncaught exception'));
  host.on('unhandledRejection', (reason) => die(reason, 'unhandled rejection'));
  setLogger(grpcConsole(log));
  return die;
}

export interface Served {
  start(): Promise<unknown>;
  stop(): Promise<void>;
}

/** Serves until a signal comes. Rejects if it could not start. */
export async function serve(service: Served, host: Pick<Host, 'exit' | 'on'>, log: Logger): Promise<void> {
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
  letHeapGrow();
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
