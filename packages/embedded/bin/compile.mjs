// Compiles workspaces to what Node runs: node packages/embedded/bin/compile.mjs [folder …], all of tsconfig.json without one, and what
// this machine starts into one file each (bundle.mjs).
// esbuild only takes the types away, which needs a second where tsc needs a minute; `npm run typecheck` checks them.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { root } from './paths.mjs';

const read = (file) => JSON.parse(readFileSync(join(root, file), 'utf8'));

/** The workspaces that the given ones refer to, and themselves. */
function withReferences(folders) {
  const found = new Set();
  const add = (folder) => {
    if (found.has(folder)) return;
    found.add(folder);
    const { references = [] } = read(join(folder, 'tsconfig.json'));
    for (const { path } of references) add(join(folder, path));
  };
  folders.forEach(add);
  return [...found];
}

async function compile(folder) {
  const { compilerOptions, include } = read(join(folder, 'tsconfig.json'));
  const at = (...path) => join(root, folder, ...path);
  const files = include.flatMap((part) => readdirSync(at(part), { recursive: true }).map((file) => at(part, file)));
  await build({
    entryPoints: files.filter((file) => /(?<!\.d|\.test)\.ts$/.test(file)),
    outbase: at(compilerOptions.rootDir),
    outdir: at(compilerOptions.outDir),
    format: 'cjs',
    platform: 'node',
    target: 'node20',
    sourcemap: true,
    sourcesContent: false,
    logLevel: 'warning',
  });
}

const named = process.argv.slice(2);
const folders = named.length > 0 ? named : read('tsconfig.json').references.map(({ path }) => path);
const bundled = named.length === 0 ? import('./bundle.mjs') : undefined;
await Promise.all([...withReferences(folders).map(compile), bundled]);
