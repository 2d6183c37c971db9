import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inheritedEnvironment } from '../config';
import { run } from './run';

const KEYRINGS = ['/usr/share/keyrings/debian-archive-keyring.gpg', '/usr/share/keyrings/debian-archive-keyring.pgp'];

export interface ArchivePackage {
  name: string;
  version: string;
  sha256: string;
  file: string;
}

/** apt with a state of its own: it sees one suite of the host's own mirror, knows nothing installed, and changes nothing outside its folder. */
export interface PrivateApt {
  /** The packages and all they depend on, computed by apt's solver. Must be called before anything is downloaded. */
  closure(names: readonly string[]): Promise<ArchivePackage[]>;
  download(packages: readonly ArchivePackage[], onProgress: (percent: number) => void): Promise<void>;
}

export async function createPrivateApt(directory: string, suite: string, signal?: AbortSignal): Promise<PrivateApt> {
  const keyring = KEYRINGS.find((file) => existsSync(file));
  if (!keyring) throw new Error('the keyring of the Debian archive (package debian-archive-keyring) is not installed');
  const mirrors = await hostMirrors();
  if (mirrors.length === 0) throw new Error('the apt sources of this machine name no Debian mirror');

  const architecture = (await run('dpkg', ['--print-architecture'])).trim();
  const archives = join(directory, 'cache/archives');
  for (const folder of ['etc', 'lists/partial', 'cache/archives/partial', 'state'])
    mkdirSync(join(directory, folder), { recursive: true });
  writeFileSync(join(directory, 'state/status'), '');
  writeFileSync(join(directory, 'apt.conf'), configuration(directory, architecture, await hostTransportSettings()));
  const env = inheritedEnvironment({
    APT_CONFIG: join(directory, 'apt.conf'),
    LC_ALL: 'C.UTF-8',
    DEBIAN_FRONTEND: 'noninteractive',
  });

  await updateFromFirst(mirrors);

  async function updateFromFirst(candidates: readonly string[]): Promise<void> {
    let lastError: unknown;
    for (const mirror of candidates) {
      const source = `deb [arch=${architecture} signed-by=${keyring}] ${mirror} ${suite} main\n`;
      writeFileSync(join(directory, 'etc/sources.list'), source);
      try {
        await run('apt-get', ['-q', '-o', 'APT::Update::Error-Mode=any', 'update'], { env, signal });
        return;
      } catch (error) {
        signal?.throwIfAborted();
        lastError = error;
      }
    }
    throw lastError;
  }

  return {
    async closure(names) {
      const listing = await run('apt-get', ['-qq', '-y', '--print-uris', 'install', ...names], { env, signal });
      // 'URI' NAME_VERSION_ARCH.deb SIZE HASH, the colon of an epoch escaped.
      const chosen = [...listing.matchAll(/^'[^']+' (([^\s_]+)_([^\s_]+)_[^\s_]+\.deb) /gm)].map(
        ([, file = '', name = '', version = '']) => {
          return { file: join(archives, file), name, version: decodeURIComponent(version) };
        },
      );
      const records = parseRecords(await run('apt-cache', ['show', ...chosen.map(nameAndVersion)], { env }));
      return chosen.map((each) => {
        const sha256 = records.find(
          (record) => record.Package === each.name && record.Version === each.version,
        )?.SHA256;
        if (!sha256) throw new Error(`the signed index of the archive has no SHA256 for ${each.name} ${each.version}`);
        return { ...each, sha256 };
      });
    },
    async download(packages, onProgress) {
      const names = [...new Set(packages.map(nameAndVersion))];
      await run('apt-get', ['-qq', '-y', '-o', 'APT::Status-Fd=3', '--download-only', 'install', ...names], {
        env,
        signal,
        onStatus: (line) => {
          const percent = /^dlstatus:[^:]*:([\d.]+):/.exec(line)?.[1];
          if (percent) onProgress(Number(percent));
        },
      });
    },
  };
}

const nameAndVersion = ({ name, version }: { name: string; version: string }) => `${name}=${version}`;

async function hostMirrors(): Promise<string[]> {
  const format = '$(REPO_URI)\t$(RELEASE)\t$(ORIGIN)';
  const list = async (...flags: string[]) => {
    const output = await run('apt-get', ['indextargets', ...flags, '--format', format, 'Created-By: Packages']);
    return output.split('\n').map((line) => line.split('\t'));
  };
  // apt knows the origin of downloaded indexes only, and container images come without any.
  const sources = [...(await list()), ...(await list('--no-release-info'))].filter(
    ([, release]) => release && !release.includes('-security'),
  );
  // Most mirrors serve the archive below …/debian/; others are recognised by their origin.
  const byPath = sources.filter(([uri = '']) => /\/debian\/?$/.test(uri));
  const byOrigin = sources.filter(([, , origin]) => origin === 'Debian');
  return [...new Set([...byPath, ...byOrigin].map(([uri = '']) => uri))];
}

/** Proxy and similar settings: the private state must reach the mirror the way the host does. */
async function hostTransportSettings(): Promise<string[]> {
  const dump = await run('apt-config', ['dump']);
  return dump
    .split('\n')
    .filter((line) => /^Acquire::(http|https|socks|ForceIPv4|ForceIPv6)\b/i.test(line) && line.endsWith('";'));
}

function configuration(directory: string, architecture: string, transport: readonly string[]): string {
  return [
    ...transport,
    `Dir::Etc "${directory}/etc";`,
    `Dir::Etc::sourcelist "${directory}/etc/sources.list";`,
    ...['sourceparts', 'parts', 'preferences', 'preferencesparts'].map((part) => `Dir::Etc::${part} "/dev/null";`),
    `Dir::State "${directory}/state";`,
    `Dir::State::lists "${directory}/lists";`,
    `Dir::State::status "${directory}/state/status";`,
    `Dir::Cache "${directory}/cache";`,
    `Dir::Log "${directory}/state";`,
    `APT::Architecture "${architecture}";`,
    `APT::Architectures { "${architecture}"; };`,
    // Run by root, apt would otherwise fetch as a user who cannot enter this folder.
    'APT::Sandbox::User "";',
    'APT::Install-Recommends "false";',
    'APT::Get::AllowUnauthenticated "false";',
    'Acquire::AllowInsecureRepositories "false";',
    // A stale mirror is accepted: its signature is checked, its expiry date is not.
    'Acquire::Check-Valid-Until "false";',
    'Acquire::Languages "none";',
    'Acquire::PDiffs "false";',
    'Acquire::Retries "3";',
    '',
  ].join('\n');
}

function parseRecords(text: string): Record<string, string>[] {
  return text.split('\n\n').map((record) =>
    Object.fromEntries(
      record
        .split('\n')
        .map((line) => /^([A-Za-z0-9-]+): (.*)$/.exec(line))
        .flatMap((match) => (match ? [[match[1] ?? '', match[2] ?? '']] : [])),
    ),
  );
}
