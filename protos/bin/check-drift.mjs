// Fails when the committed TypeScript is not what the .proto files say.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';

const root = new URL('..', import.meta.url).pathname;
const fresh = mkdtempSync(join(tmpdir(), 'sabia-protos-'));

function files(folder) {
  const found = new Map();
  for (const name of readdirSync(folder, { recursive: true })) {
    const path = join(folder, name);
    if (statSync(path).isFile()) found.set(relative(folder, path), readFileSync(path, 'utf8'));
  }
  return found;
}

try {
  cpSync(join(root, 'buf.gen.yaml'), join(fresh, 'buf.gen.yaml'));
  execFileSync('buf', ['generate', '--output', fresh], { cwd: root, stdio: ['ignore', 'inherit', 'inherit'] });
  const expected = files(join(fresh, 'generated'));
  const committed = files(join(root, 'generated'));
  const drifted = [...new Set([...expected.keys(), ...committed.keys()])].filter(
    (path) => expected.get(path) !== committed.get(path),
  );
  if (drifted.length > 0) {
    console.error(
      `generated code differs from the .proto files; run "npm run protos:generate":\n  ${drifted.sort().join('\n  ')}`,
    );
    process.exitCode = 1;
  } else {
    console.log(`generated code is up to date (${expected.size} files)`);
  }
} finally {
  rmSync(fresh, { recursive: true, force: true });
}
