// Builds the console and compresses each file once, at build time, so that the gateway only picks a file.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { build } from 'vite';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const output = join(root, '../../gateway/console');
/** The best quality takes ten times as long as the ninth for Scalar's script (4 MB), and gains a tenth. */
const LARGE_BYTES = 1024 * 1024;
const compressible = new Set(['.html', '.js', '.css', '.svg', '.json', '.webmanifest']);

process.chdir(root);
// Vite keeps an environment that is set, and a test run sets one: React would be its slow, large development version.
process.env.NODE_ENV = 'production';
await build({ root, logLevel: 'warn' });

for (const entry of readdirSync(output, { recursive: true, withFileTypes: true })) {
  const path = join(entry.parentPath, entry.name);
  if (!entry.isFile() || !compressible.has(extname(path))) continue;
  const content = readFileSync(path);
  writeFileSync(`${path}.gz`, gzipSync(content, { level: 9 }));
  const params = {
    [constants.BROTLI_PARAM_SIZE_HINT]: content.length,
    [constants.BROTLI_PARAM_QUALITY]: content.length > LARGE_BYTES ? 9 : 11,
  };
  writeFileSync(`${path}.br`, brotliCompressSync(content, { params }));
}
