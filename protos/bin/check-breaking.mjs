// Fails when the contract breaks what was published before: the parent of this commit, or SABIA_PROTOS_AGAINST.
import { execFileSync, spawnSync } from 'node:child_process';
import { resolve } from 'node:path';

const protos = new URL('..', import.meta.url).pathname;
const repository = resolve(protos, '..');
const against = process.env.SABIA_PROTOS_AGAINST ?? 'HEAD~1';

function git(...args) {
  return spawnSync('git', args, { cwd: repository, encoding: 'utf8' });
}

if (git('cat-file', '-e', `${against}:protos/buf.yaml`).status !== 0) {
  console.log(`no earlier contract at ${against}: nothing to break`);
} else {
  const commit = git('rev-parse', against).stdout.trim();
  execFileSync('buf', ['breaking', '--against', `${repository}/.git#ref=${commit},subdir=protos`], {
    cwd: protos,
    stdio: 'inherit',
  });
  console.log(`compatible with the contract of ${commit.slice(0, 12)}`);
}
