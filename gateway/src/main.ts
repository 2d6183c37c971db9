import { setLogger } from '@grpc/grpc-js';
import { ConfigError } from '@sabia/service-kit/config';
import { createLogger } from '@sabia/service-kit/logging';
import type { Logger } from '@sabia/service-kit/logging';
import { loadConfig } from './config';
import type { GatewayConfig } from './config';
import { createGateway } from './service';

// sysexits.h
const EXIT_CONFIG = 78;

async function main(): Promise<void> {
  const config = configOrExit();
  const log = createLogger({ name: 'gateway', level: config.logLevel });
  const die = (reason: unknown, message: string): void => {
    log.fatal({ err: reason }, message);
    process.exit(1);
  };
  process.on('uncaughtException', (error) => die(error, 'uncaught exception'));
  process.on('unhandledRejection', (reason) => die(reason, 'unhandled rejection'));
  setLogger(grpcConsole(log));

  const gateway = createGateway(config, { log });
  let stopping = false;
  const onSignal = (signal: string): void => {
    if (stopping) {
      log.warn({ signal }, 'second signal, exiting immediately');
      process.exit(1);
    }
    stopping = true;
    log.info({ signal }, 'stopping');
    void gateway.stop().then(() => {
      log.info('stopped');
      process.exit(0);
    });
  };
  process.on('SIGTERM', onSignal);
  process.on('SIGINT', onSignal);
  try {
    await gateway.start();
  } catch (error) {
    // A failure after a signal to stop is a consequence of stopping.
    if (!stopping) {
      die(error, 'could not start');
    }
  }
}

function configOrExit(): GatewayConfig {
  try {
    return loadConfig();
  } catch (error) {
    if (!(error instanceof ConfigError)) {
      throw error;
    }
    process.stderr.write(`gateway: ${error.message}\n`);
    return process.exit(EXIT_CONFIG);
  }
}

/** grpc-js writes plain text to stderr; this turns it into lines of the log. */
function grpcConsole(log: Logger): Partial<Console> {
  const write =
    (level: 'debug' | 'info' | 'error') =>
    (...parts: unknown[]): void =>
      log[level]({ source: 'grpc-js' }, parts.map(String).join(' '));
  return { error: write('error'), info: write('info'), debug: write('debug') };
}

void main();
