// Writes the module for import, in one file that browsers load as it is; compile.mjs has written the one for require, tsc the types of both.
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const at = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url));

await build({
  entryPoints: [at('src/index.ts')],
  outfile: at('dist/index.mjs'),
  bundle: true,
  format: 'esm',
  platform: 'neutral',
  target: 'es2022',
  sourcemap: true,
  logLevel: 'warning',
});
writeFileSync(at('dist/index.d.mts'), "export * from './index.js';\n");
