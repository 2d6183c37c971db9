// Fails when the committed code is not what the gateway's OpenAPI document says.
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { generate } from './generator.mjs';

function filesIn(folder) {
  const paths = readdirSync(folder, { recursive: true }).filter((path) => statSync(join(folder, path)).isFile());
  return new Map(paths.map((path) => [path, readFileSync(join(folder, path), 'utf8')]));
}

const fresh = mkdtempSync(join(tmpdir(), 'sabia-client-'));
try {
  await generate(fresh);
  const expected = filesIn(fresh);
  const committed = filesIn(fileURLToPath(new URL('../src/generated', import.meta.url)));
  const drifted = [...new Set([...expected.keys(), ...committed.keys()])].filter(
    (path) => expected.get(path) !== committed.get(path),
  );
  if (drifted.length > 0) {
    console.error(`the client differs from the API; run "npm run client:generate":\n  ${drifted.sort().join('\n  ')}`);
    process.exitCode = 1;
  } else {
    console.log(`the client is up to date with the API (${expected.size} files)`);
  }
} finally {
  rmSync(fresh, { recursive: true, force: true });
}
