// Installs the packages and builds the workspaces, each only if something changed. Plain Node: it runs in a fresh clone.
// With --packages it installs alone.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, realpathSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { root } from './paths.mjs';
import { withLock } from './processes.mjs';

const LOCK_FILE = join(root, 'package-lock.json');
/** Stamps of the last install and the last build: digests of their inputs. */
const INSTALLED = join(root, 'node_modules/.sabia-installed');
const BUILT = join(root, 'node_modules/.sabia-built');
const CONSOLE_BUILT = join(root, 'node_modules/.sabia-console-built');
/** What the console is made of. */
const CONSOLE_FOLDERS = ['packages/console', 'packages/client'];
/** Where the gateway serves the console from. */
const CONSOLE_OUTPUT = join(root, 'gateway/console/index.html');

export class PrepareError extends Error {}

export async function prepare({ packagesOnly = false } = {}) {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major < 20 || (major === 20 && minor < 19)) {
    throw new PrepareError(`Sabiá needs Node 20.19 or later; this is ${process.version}`);
  }
  // No lock when there is nothing to do: a clone that another user prepared may not be writable for us.
  if (isInstalled() && (packagesOnly || (isBuilt() && isConsoleBuilt()))) return;
  const waiting = ({ pid }) => say(`waiting for process ${pid}, which is preparing, too`);
  await withLock(join(root, '.sabia/prepare.lock'), waiting, async () => {
    if (!isInstalled()) await install();
    if (packagesOnly) return;
    // Vite reads nothing that the compilation writes: it takes @sabia/client from its sources.
    await Promise.all([isBuilt() || build(), isConsoleBuilt() || buildConsole()]);
  });
}

function isInstalled() {
  return existsSync(INSTALLED) && readFileSync(INSTALLED, 'utf8') === lockDigest();
}

function lockDigest() {
  return createHash('sha256')
    .update(readFileSync(LOCK_FILE))
    .update(`${process.platform} ${process.arch}`)
    .digest('hex');
}

async function install() {
  if (!isInstalledAsLocked()) {
    const how = isLockComplete() ? ['ci'] : ['install', '--no-save'];
    say(`installing packages (npm ${how.join(' ')})`);
    const npm = process.env.npm_execpath;
    const [command, first] = npm?.endsWith('.js') ? [process.execPath, [npm]] : ['npm', []];
    const quietly = ['--include=dev', '--no-audit', '--no-fund', '--loglevel=error'];
    await show('installing packages', command, [...first, ...how, ...quietly]);
  }
  writeStamp(INSTALLED, lockDigest());
}

/** A new file each time: folders of packages may be copied as hard links, and a stamp is about one of the copies. */
function writeStamp(file, text) {
  writeFileSync(`${file}.new`, text);
  renameSync(`${file}.new`, file);
}

/** A plain `npm install` writes no stamp; npm's own record tells whether it installed what the lock file says, and the folders whether it is still there. */
function isInstalledAsLocked() {
  try {
    const locked = JSON.parse(readFileSync(LOCK_FILE, 'utf8')).packages;
    const installed = JSON.parse(readFileSync(join(root, 'node_modules/.package-lock.json'), 'utf8')).packages;
    return Object.entries(locked).every(([path, wanted]) => {
      if (!path.startsWith('node_modules/') && !path.includes('/node_modules/')) return true;
      const found = installed[path];
      if (!found) return wanted.optional === true || wanted.peer === true;
      const asLocked = ['version', 'integrity', 'link'].every((field) => found[field] === wanted[field]);
      return asLocked && existsSync(join(root, path));
    });
  } catch {
    return false;
  }
}

/**
 * A registry that lacks packages for other platforms leaves gaps in the lock file. `npm ci` fails at them, although this machine
 * needs none of these packages; `npm install` installs what is locked.
 */
function isLockComplete() {
  const { packages } = JSON.parse(readFileSync(LOCK_FILE, 'utf8'));
  return Object.entries(packages).every(([path, { optionalDependencies = {} }]) =>
    Object.keys(optionalDependencies).every(
      (name) => packages[`node_modules/${name}`] ?? packages[`${path}/node_modules/${name}`],
    ),
  );
}

function isBuilt() {
  const folders = projectFolders();
  return hasAllOutput(folders) && existsSync(BUILT) && readFileSync(BUILT, 'utf8') === fingerprint(folders);
}

async function build() {
  const folders = projectFolders();
  const wanted = fingerprint(folders);
  say('building');
  await show('building', process.execPath, [join(root, 'packages/embedded/bin/compile.mjs')]);
  await show('building', process.execPath, [join(root, 'packages/client/bin/build.mjs')]);
  writeStamp(BUILT, wanted);
}

function isConsoleBuilt() {
  return (
    existsSync(CONSOLE_OUTPUT) &&
    existsSync(CONSOLE_BUILT) &&
    readFileSync(CONSOLE_BUILT, 'utf8') === fingerprint(CONSOLE_FOLDERS)
  );
}

async function buildConsole() {
  const wanted = fingerprint(CONSOLE_FOLDERS);
  say('building the console');
  await show('building the console', process.execPath, [join(root, 'packages/console/bin/build.mjs')]);
  writeStamp(CONSOLE_BUILT, wanted);
}

function projectFolders() {
  return JSON.parse(readFileSync(join(root, 'tsconfig.json'), 'utf8')).references.map(({ path }) => path);
}

function hasAllOutput(folders) {
  return folders.every((folder) => existsSync(join(root, folder, 'dist')));
}

/** Written by builds, so no input of one; the names of files that tools keep for themselves begin with a dot. */
const isGenerated = (path, name) =>
  name.startsWith('.') || ['node_modules', 'dist', 'paraglide'].includes(name) || path === join('gateway', 'console');

/** Names, sizes and times of the files that esbuild and vite read. */
function fingerprint(folders) {
  const hash = createHash('sha256').update(readFileSync(INSTALLED));
  const look = (folder) => {
    for (const entry of readdirSync(join(root, folder), { withFileTypes: true }).sort((a, b) =>
      a.name < b.name ? -1 : 1,
    )) {
      const path = join(folder, entry.name);
      if (isGenerated(path, entry.name)) continue;
      if (entry.isDirectory()) {
        look(path);
      } else if (/\.(tsx?|css|html|svg)$|\.json$/.test(entry.name)) {
        const { mtimeMs, size } = statSync(join(root, path));
        // Paraglide writes its settings anew, unchanged, each time it compiles.
        hash.update(`${path} ${entry.name === 'settings.json' ? '' : mtimeMs} ${size}\n`);
      }
    }
  };
  hash.update(readFileSync(join(root, 'tsconfig.base.json'))).update(readFileSync(join(root, 'tsconfig.json')));
  folders.forEach(look);
  return hash.digest('hex');
}

/** Runs a command with its output shown, and a sign of life while it is silent. */
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
    await prepare({ packagesOnly: process.argv.includes('--packages') });
  } catch (error) {
    if (!(error instanceof PrepareError)) throw error;
    say(error.message);
    process.exitCode = 1;
  }
}
