import { createLogger } from '@sabia/service-kit/logging';
import { endOnFailures, readConfig, serve } from '@sabia/service-kit/process';
import { loadConfig } from './config';
import { createGateway } from './service';

async function main(): Promise<void> {
  const config = readConfig({ name: 'gateway', loadConfig }, process);
  if (config === undefined) {
    return;
  }
  const log = createLogger({ name: 'gateway', level: config.logLevel });
  const die = endOnFailures(log, process);
  try {
    await serve(createGateway(config, { log }), process, log);
  } catch (error) {
    die(error, 'could not start');
  }
}

void main();
