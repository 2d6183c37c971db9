import { readdirSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';

export const root = resolve(import.meta.dirname, '../..');
export const chart = join(root, 'helm/sabia');
export const cache = resolve(root, process.env.SABIA_CACHE ?? '.sabia/cache', 'go-tools');
export const output = join(root, '.sabia/chart');

const valuesIn = (folder) =>
  readdirSync(join(root, folder)).map((file) => ({ name: basename(file, '.yaml'), file: join(root, folder, file) }));

/** The values files with which the chart must work. */
export const valueSets = [...valuesIn('helm/sabia/values'), ...valuesIn('helm/tests/values')];
