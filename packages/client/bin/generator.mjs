import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createClient } from '@hey-api/openapi-ts';
import { readOpenApiDocument } from './openapi-document.mjs';

/** Aliases of other routes: a client needs one name for each thing that can be done. */
const isAlias = (operation) => operation['x-alias-of'] !== undefined;

export async function generate(path) {
  const document = readOpenApiDocument();
  for (const operations of Object.values(document.paths)) {
    for (const [method, operation] of Object.entries(operations)) {
      if (isAlias(operation)) delete operations[method];
    }
  }
  await createClient({
    input: document,
    output: { path, clean: true },
    logs: { level: 'silent', file: false },
    plugins: [
      { name: '@hey-api/client-fetch', throwOnError: true },
      '@hey-api/typescript',
      { name: '@hey-api/sdk', client: false, auth: false, responseStyle: 'data' },
    ],
  });
  // A ready-made client for everyone, and a list of everything: the façade has its own of both.
  await Promise.all(['client.gen.ts', 'index.ts'].map((name) => rm(join(path, name))));
}
