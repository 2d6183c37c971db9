// Installs the packages and builds the workspaces, each only if something changed. Plain Node: it runs in a fresh clone.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { root } from './paths.mjs';
import { withLock } from './processes.mjs';

const LOCK_FILE = join(root, 'package-lock.json');
const STAMP = join(root, 'node_modules/.sabia-installed');

export class PrepareError extends Error {}

export async function prepare() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major < 20 || (major === 20 && minor < 19)) {
    throw new PrepareError(`Sabiá needs Node 20.19 or later; this is ${process.version}`);
  }
  const waiting = ({ pid }) => say(`waiting for process ${pid}, which is preparing, too`);
  await withLock(join(root, '.sabia/prepare.lock'), waiting, async () => {
    await installPackages();
    await build();
  });
}

async function installPackages() {
  const wanted = createHash('sha256')
    .update(readFileSync(LOCK_FILE))
    .update(`${process.platform} ${process.arch}`)
    .digest('hex');
  if (existsSync(STAMP) && readFileSync(STAMP, 'utf8') === wanted) return;
  if (!isInstalledAsLocked()) {
    const how = isLockComplete() ? ['ci'] : ['install', '--no-save'];
    say(`installing packages (npm ${how.join(' ')})`);
    const npm = process.env.npm_execpath;
    const [command, first] = npm?.endsWith('.js') ? [process.execPath, [npm]] : ['npm', []];
    const quietly = ['--include=dev', '--no-audit', '--no-fund', '--loglevel=error'];
    await show('installing packages', command, [...first, ...how, ...quietly]);
  }
  mkdirSync(join(root, 'node_modules'), { recursive: true });
  writeFileSync(STAMP, wanted);
}

/** A plain `npm install` leaves no stamp of ours; npm's own record tells whether it installed what the lock file says. */
function isInstalledAsLocked() {
  try {
    const locked = JSON.parse(readFileSync(LOCK_FILE, 'utf8')).packages;
    const installed = JSON.parse(readFileSync(join(root, 'node_modules/.package-lock.json'), 'utf8')).packages;
    return Object.entries(locked).every(([path, wanted]) => {
      if (!path.startsWith('node_modules/') && !path.includes('/node_modules/')) return true;
      const found = installed[path];
      if (!found) return wanted.optional === true || wanted.peer === true;
      return found.version === wanted.version && found.integrity === wanted.integrity && found.link === wanted.link;
    });
  } catch {
    return false;
  }
}

/**
 * A registry that lacks packages for other platforms leaves holes in the lock file. `npm ci` stumbles over them, though nothing is
 * missing that this machine needs; `npm install` installs just what is locked.
 */
function isLockComplete() {
  const { packages } = JSON.parse(readFileSync(LOCK_FILE, 'utf8'));
  return Object.entries(packages).every(([path, { optionalDependencies = {} }]) =>
    Object.keys(optionalDependencies).every(
      (name) => packages[`node_modules/${name}`] ?? packages[`${path}/node_modules/${name}`],
    ),
  );
}

async function build() {
  const { references } = JSON.parse(readFileSync(join(root, 'tsconfig.json'), 'utf8'));
  // tsc believes its own record and would not notice that a dist folder was removed.
  const isIncomplete = references.some(({ path }) => !existsSync(join(root, path, 'dist')));
  if (isIncomplete) say('building');
  const tsc = join(root, 'node_modules/typescript/bin/tsc');
  await show('building', process.execPath, [tsc, '--build', ...(isIncomplete ? ['--force'] : [])]);
}

/** Runs a command in view of the person, with a sign of life while it is silent. */
async function show(what, command, args) {
  const started = Date.now();
  const sign = () => say(`${what} … ${Math.round((Date.now() - started) / 1000)} s`);
  const heartbeat = process.stderr.isTTY && what.startsWith('installing') ? undefined : setInterval(sign, 10_000);
  try {
    await new Promise((resolve, reject) => {
      const child = spawn(command, args, { cwd: root, stdio: 'inherit' });
      child.once('error', reject);
      child.once('exit', (code, signal) => {
        if (code === 0) resolve();
        else reject(new PrepareError(`${what} failed (${signal ?? `code ${code}`}); see above`));
      });
    });
  } finally {
    clearInterval(heartbeat);
  }
}

function say(message) {
  process.stderr.write(`sabia: ${message}\n`);
}

if (import.meta.url === pathToFileURL(realpathSync(process.argv[1])).href) {
  try {
    await prepare();
  } catch (error) {
    if (!(error instanceof PrepareError)) throw error;
    say(error.message);
    process.exitCode = 1;
  }
}
