import { createHash } from 'node:crypto';
import {
  copyFileSync,
  cpSync,
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { waitForLock } from '../lock';
import type { Progress } from '../progress';
import { createPrivateApt, type ArchivePackage } from './apt';
import { run } from './run';

const SUITE = 'testing';

/** Programs that the host may not have, or not new enough, taken from Debian testing together with the C library they were built for. */
export interface Recipe {
  /** Changes with the fields below, so that an old bundle in a cache is not mistaken for this one. */
  id: string;
  packages: readonly string[];
  programs: readonly string[];
  /** Shared objects and folders that a program opens by itself: paths below usr/lib/<triplet> or usr/lib, kept below lib/. */
  plugins?: readonly string[];
  /** Files and folders that a program reads: paths below usr/share, kept below share/. */
  data?: readonly string[];
  /** Arguments that prove that a program runs. Default: --version; empty: the program has no such argument. */
  check?: readonly string[];
}

export interface Program {
  command: string;
  /** Come before the program's own arguments. */
  args: readonly string[];
  /** The folder of its lib/ and share/; a program of the host has none. */
  bundle?: string;
}

interface BundleLock {
  suite: string;
  packages: { name: string; version: string; sha256: string }[];
  /** Programs that need the bundle's own loader; the others are static. */
  loader?: string;
  dynamic: string[];
}

/** By recipe id: the programs of the bundle by name, or the reason why there is no bundle. */
export type Bundles = Map<string, Map<string, Program> | Error>;

export interface ObtainOptions {
  cache: string;
  progress: Progress;
  signal?: AbortSignal;
}

/** The bundles from the cache; fetched first where they are missing. A fetch that is killed leaves nothing that looks like a bundle. */
export async function obtainBundles(
  recipes: readonly Recipe[],
  { cache, progress, signal }: ObtainOptions,
): Promise<Bundles> {
  const place = join(cache, `${process.platform}-${process.arch}`);
  const isMissing = (recipe: Recipe) => !existsSync(join(place, recipe.id));
  const failures = new Map<string, Error>();
  if (recipes.some(isMissing)) {
    mkdirSync(place, { recursive: true });
    const lock = await waitForLock(join(place, 'fetch.lock'), ({ pid }) =>
      progress(`waiting for process ${pid}, which is fetching servers, too`),
    );
    try {
      await fetchBundles(recipes.filter(isMissing), place, { progress, failures, signal });
    } finally {
      lock.release();
    }
  }
  return new Map(
    recipes.map((recipe) => [recipe.id, failures.get(recipe.id) ?? programsOf(recipe, join(place, recipe.id))]),
  );
}

interface FetchOptions {
  progress: Progress;
  failures: Map<string, Error>;
  signal?: AbortSignal;
}

async function fetchBundles(
  recipes: readonly Recipe[],
  place: string,
  { progress, failures, signal }: FetchOptions,
): Promise<void> {
  if (recipes.length === 0) return;
  // We hold the lock, so this folder was left by a fetch that was killed.
  for (const leftover of readdirSync(place))
    if (leftover.startsWith('.staging-')) rmSync(join(place, leftover), { recursive: true });
  const staging = mkdtempSync(join(place, '.staging-'));
  const attempt = async (affected: readonly Recipe[], work: () => Promise<void>) => {
    try {
      await work();
    } catch (error) {
      signal?.throwIfAborted();
      for (const { id } of affected) failures.set(id, error instanceof Error ? error : new Error(String(error)));
    }
  };
  try {
    await attempt(recipes, async () => {
      const what = recipes.flatMap((recipe) => recipe.packages).join(', ');
      progress(`fetching ${what}: reading the package index`);
      const apt = await createPrivateApt(join(staging, 'apt'), SUITE, signal);
      const closures = new Map<Recipe, ArchivePackage[]>();
      for (const recipe of recipes)
        await attempt([recipe], async () => void closures.set(recipe, await apt.closure(recipe.packages)));
      await apt.download(
        [...closures.values()].flat(),
        tellEvery(20, (percent) => progress(`fetching ${what}: ${percent} %`)),
      );
      for (const [recipe, packages] of closures) {
        await attempt([recipe], async () => {
          progress(`unpacking ${recipe.packages.join(', ')}`);
          const made = await buildBundle(recipe, packages, join(staging, recipe.id));
          renameSync(made, join(place, recipe.id));
        });
      }
    });
  } finally {
    rmSync(staging, { recursive: true, force: true });
  }
}

async function buildBundle(recipe: Recipe, packages: readonly ArchivePackage[], folder: string): Promise<string> {
  packages.forEach(verify);
  const tree = join(folder, 'tree');
  mkdirSync(tree, { recursive: true });
  for (const each of packages) await run('dpkg-deb', ['-x', each.file, tree]);
  const result = join(folder, 'bundle');
  const lock = await keepWhatIsNeeded(recipe, tree, result);
  lock.packages = packages
    .map(({ name, version, sha256 }) => ({ name, version, sha256 }))
    .sort((a, b) => a.name.localeCompare(b.name));
  writeFileSync(join(result, 'lock.json'), `${JSON.stringify(lock, null, 2)}\n`);
  for (const program of programsOf(recipe, result).values())
    if (recipe.check?.length !== 0) await run(program.command, [...program.args, ...(recipe.check ?? ['--version'])]);
  return result;
}

function tellEvery(step: number, tell: (percent: number) => void): (percent: number) => void {
  let told = 0;
  return (percent) => {
    if (percent < told + step && !(percent >= 100 && told < 100)) return;
    told = percent;
    tell(Math.round(percent));
  };
}

function verify(each: ArchivePackage): void {
  const actual = createHash('sha256').update(readFileSync(each.file)).digest('hex');
  if (actual !== each.sha256)
    throw new Error(`${each.name} ${each.version} came with SHA256 ${actual} instead of ${each.sha256}`);
}

async function keepWhatIsNeeded(recipe: Recipe, tree: string, result: string): Promise<BundleLock> {
  for (const folder of ['bin', 'lib', 'copyright']) mkdirSync(join(result, folder), { recursive: true });
  const libraries = libraryFolder(tree);
  const loader = libraries && readdirSync(libraries).find((file) => /^ld-linux.*\.so\.\d+$/.test(file));
  const dynamic: string[] = [];
  for (const name of recipe.programs) {
    const source = ['usr/bin', 'usr/sbin', 'bin', 'sbin']
      .map((folder) => join(tree, folder, name))
      .find((file) => existsSync(file));
    if (!source) throw new Error(`the packages ${recipe.packages.join(', ')} hold no program ${name}`);
    const target = join(result, 'bin', name);
    copyFileSync(source, target);
    chmodSync(target, 0o755);
    if (!libraries || !loader) continue;
    const needed = await neededLibraries(join(libraries, loader), libraries, source);
    if (!needed) continue;
    dynamic.push(name);
    for (const file of [join(libraries, loader), ...needed]) {
      copyFileSync(file, join(result, 'lib', basename(file)));
      chmodSync(join(result, 'lib', basename(file)), 0o755);
    }
  }
  for (const plugin of recipe.plugins ?? []) {
    if (!libraries || !loader) break;
    const source = [libraries, join(tree, 'usr/lib')]
      .map((folder) => join(folder, plugin))
      .find((file) => existsSync(file));
    if (!source) throw new Error(`the packages ${recipe.packages.join(', ')} hold no ${plugin}`);
    const target = join(result, 'lib', plugin);
    mkdirSync(dirname(target), { recursive: true });
    cpSync(source, target, { recursive: true, dereference: true });
    const needed = (await neededLibraries(join(libraries, loader), libraries, source)) ?? [];
    for (const file of [join(libraries, loader), ...needed]) {
      copyFileSync(file, join(result, 'lib', basename(file)));
      chmodSync(join(result, 'lib', basename(file)), 0o755);
    }
  }
  for (const path of recipe.data ?? []) {
    cpSync(join(tree, 'usr/share', path), join(result, 'share', path), { recursive: true, dereference: true });
  }
  const notices = join(tree, 'usr/share/doc');
  for (const name of existsSync(notices) ? readdirSync(notices) : []) {
    const notice = join(notices, name, 'copyright');
    if (existsSync(notice)) copyFileSync(notice, join(result, 'copyright', name));
  }
  return { suite: SUITE, packages: [], loader: dynamic.length > 0 ? loader : undefined, dynamic };
}

function libraryFolder(tree: string): string | undefined {
  const parent = join(tree, 'usr/lib');
  const triplet = existsSync(parent) ? readdirSync(parent).find((name) => /-linux-gnu/.test(name)) : undefined;
  return triplet && join(parent, triplet);
}

/** Undefined for a static program. */
async function neededLibraries(loader: string, libraries: string, program: string): Promise<string[] | undefined> {
  let listing: string;
  try {
    listing = await run(loader, [
      '--inhibit-cache',
      '--library-path',
      `${libraries}:${libraries}/pulseaudio`,
      '--list',
      program,
    ]);
  } catch {
    return undefined;
  }
  const missing = listing.split('\n').find((line) => line.includes('not found'));
  if (missing) throw new Error(`${basename(program)} lacks a library: ${missing.trim()}`);
  return [...listing.matchAll(/=> (\/\S.*) \(0x/g)].flatMap(([, file]) => (file?.startsWith(libraries) ? [file] : []));
}

function programsOf(recipe: Recipe, bundle: string): Map<string, Program> {
  const lock = JSON.parse(readFileSync(join(bundle, 'lock.json'), 'utf8')) as BundleLock;
  return new Map(
    recipe.programs.map((name) => {
      const file = join(bundle, 'bin', name);
      if (!lock.loader || !lock.dynamic.includes(name)) return [name, { command: file, args: [], bundle }];
      const lib = join(bundle, 'lib');
      const args = ['--inhibit-cache', '--library-path', lib, '--argv0', name, file];
      return [name, { command: join(lib, lock.loader), args, bundle }];
    }),
  );
}
