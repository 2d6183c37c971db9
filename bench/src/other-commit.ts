import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, readdir, readFile, stat, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { FailedRun } from './harness';

const run = promisify(execFile);

/**
 * The tree of another commit, installed and built, below .sabia/. It is kept: the next run against the same commit finds it
 * there. `git worktree remove` takes it away.
 */
export async function checkOut(root: string, ref: string, say: (line: string) => void): Promise<string> {
  const commit = await commitOf(root, ref);
  const tree = join(root, '.sabia', 'commits', commit.slice(0, 12));
  if (!(await exists(join(tree, 'package.json')))) {
    say(`checking out ${commit.slice(0, 12)} …`);
    await run('git', ['-C', root, 'worktree', 'prune']);
    await run('git', ['-C', root, 'worktree', 'add', '--detach', '--force', tree, commit]);
    if (await hasSameLockFile(root, tree)) await shareInstalledPackages(root, tree);
  }
  await prepare(tree);
  return tree;
}

async function commitOf(root: string, ref: string): Promise<string> {
  try {
    const { stdout } = await run('git', ['-C', root, 'rev-parse', '--verify', '--quiet', `${ref}^{commit}`]);
    return stdout.trim();
  } catch {
    throw new FailedRun(`--against=${ref} is no commit of this repository`);
  }
}

async function hasSameLockFile(root: string, tree: string): Promise<boolean> {
  const [here, there] = await Promise.all([root, tree].map((folder) => readFile(join(folder, 'package-lock.json'))));
  return here!.equals(there!);
}

/** Packages from the registry are linked to; the links of the workspaces are copied, for they lead to the workspaces of their tree. */
async function shareInstalledPackages(root: string, tree: string): Promise<void> {
  for (const folder of await foldersWithPackages(root)) {
    const [from, to] = [join(root, folder, 'node_modules'), join(tree, folder, 'node_modules')];
    await mkdir(to, { recursive: true });
    for (const name of await readdir(from)) {
      if (name === '@sabia') {
        await cp(join(from, name), join(to, name), { recursive: true, verbatimSymlinks: true });
      } else if (!name.startsWith('.sabia-')) {
        await symlink(join(from, name), join(to, name));
      }
    }
  }
}

async function foldersWithPackages(root: string): Promise<string[]> {
  const folders = ['.', ...(await workspaces(root))];
  const installed = await Promise.all(folders.map((folder) => exists(join(root, folder, 'node_modules'))));
  return folders.filter((_, index) => installed[index]);
}

async function workspaces(root: string): Promise<string[]> {
  const manifest = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { workspaces: string[] };
  const folders: string[] = [];
  for (const pattern of manifest.workspaces) {
    const parent = pattern.replace(/\/\*$/, '');
    if (parent === pattern) folders.push(pattern);
    else folders.push(...(await readdir(join(root, parent))).map((name) => join(parent, name)));
  }
  return folders;
}

/** The command of that tree which installs and builds what is not installed and built yet. */
async function prepare(tree: string): Promise<void> {
  const child = spawn(process.execPath, [join(tree, 'packages/embedded/bin/prepare.mjs')], {
    cwd: tree,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const [code] = (await once(child, 'exit')) as [number | null];
  if (code !== 0) throw new FailedRun(`${tree} could not be prepared`);
}

const exists = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );
