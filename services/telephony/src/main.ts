import path from 'node:path';
import { run } from '@sabia/service-kit/run';
import { loadConfig } from './config';
import { createService } from './service';

void run({
  name: 'telephony',
  loadConfig,
  create: createService,
  migrations: path.join(__dirname, '..', 'migrations'),
});
