import { chmodSync, copyFileSync, existsSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inheritedEnvironment } from '@sabia/embedded/config';
import { obtainBundles, type Recipe } from '@sabia/embedded/programs/debian-bundle';
import { findOnPath } from '@sabia/embedded/programs/find-on-path';
import { sharedCache } from '../run-homes';

const ON_PATH = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
const PROGRAM = 'chromium-headless-shell';

const RECIPE: Recipe = {
  id: 'chromium-headless-shell-1',
  packages: [PROGRAM],
  programs: [PROGRAM],
  plugins: ['chromium', `chromium/${PROGRAM}`, 'libsoftokn3.so', 'libfreebl3.so', 'libfreeblpriv3.so'],
  // The program of that name is a script that starts the real one below /usr.
  check: [],
};

export interface Chromium {
  executablePath: string;
  args: string[];
}

/** Empty where the host has a Chromium. */
export function chromiumRecipes(): Recipe[] {
  return chromiumOfHost() ? [] : [RECIPE];
}

/** The host's Chromium if there is one, because it is large; else Debian's, unpacked into the cache. */
export async function findChromium(): Promise<Chromium> {
  const ownOfHost = chromiumOfHost();
  if (ownOfHost) return { executablePath: ownOfHost, args: [] };

  const fetched = (await obtainBundles([RECIPE], { cache: sharedCache, progress: () => undefined })).get(RECIPE.id);
  const bundle = fetched instanceof Map ? fetched.get(PROGRAM)?.bundle : undefined;
  if (!bundle) {
    const reason = fetched instanceof Error ? fetched.message : 'the bundle is empty';
    throw new Error(`Chromium could not be had: install it, or see why fetching ${PROGRAM} failed: ${reason}`);
  }
  const executablePath = makeLauncher(bundle);
  // Chromium starts its children from the path of the running executable, which is the loader, so they need the launcher, too.
  return { executablePath, args: ['--no-zygote', `--browser-subprocess-path=${executablePath}`] };
}

function chromiumOfHost(): string | undefined {
  const path = inheritedEnvironment().PATH ?? '';
  return ON_PATH.map((name) => findOnPath(name, path)).find((command) => command !== undefined);
}

/** Chromium looks for its resources beside the running executable, which is the loader, so the loader is placed beside them. */
function makeLauncher(bundle: string): string {
  const lib = join(bundle, 'lib');
  const home = join(lib, 'chromium');
  const launcher = join(home, 'launch.sh');
  if (existsSync(launcher)) return launcher;
  const loader = readdirSync(lib).find((name) => /^ld-linux.*\.so\.\d+$/.test(name));
  if (!loader) throw new Error(`${bundle} holds no loader`);
  copyFileSync(join(lib, loader), join(home, loader));
  chmodSync(join(home, loader), 0o755);
  const half = `${launcher}.${process.pid}`;
  const script = [
    '#!/bin/sh',
    'here=$(dirname "$(readlink -f "$0")")',
    `exec "$here/${loader}" --inhibit-cache --library-path "$here/..:$here" "$here/${PROGRAM}" "$@"`,
    '',
  ].join('\n');
  writeFileSync(half, script, { mode: 0o755 });
  renameSync(half, launcher);
  return launcher;
}
