import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { extname, join, relative, sep } from 'node:path';
import { gunzipSync } from 'node:zlib';

export interface ConsoleFile {
  contentType: string;
  /** By content coding. Files that are large and compressed have no "identity", for the sake of memory. */
  encodings: ReadonlyMap<string, Buffer>;
  /** The name holds a hash of the content, so a browser may keep it forever. */
  hashed: boolean;
}

export interface ConsoleFiles {
  /** The page that every address of the console shows; the router in it does the rest. */
  page: ConsoleFile;
  /** By path below /console/. */
  files: ReadonlyMap<string, ConsoleFile>;
}

const contentTypes: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
  '.webmanifest': 'application/manifest+json',
};
/** Every browser accepts a compressed file; the rare client that does not has a larger one unpacked for it. */
const LARGEST_PLAIN_BYTES = 1024 * 1024;
const codings = { '.br': 'br', '.gz': 'gzip' } as const;

/** Reads the built console into memory: it is small, and requests then touch no disk. Undefined: it was not built. */
export function readConsoleFiles(folder: string): ConsoleFiles | undefined {
  if (!existsSync(join(folder, 'index.html'))) {
    return undefined;
  }
  const files = new Map<string, ConsoleFile>();
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isFile() && !(extname(path) in codings)) {
      files.set(relative(folder, path).split(sep).join('/'), readFile(path));
    }
  }
  const page = files.get('index.html')!;
  files.delete('index.html');
  return { page, files };
}

function readFile(path: string): ConsoleFile {
  const encodings = new Map<string, Buffer>();
  for (const [suffix, coding] of Object.entries(codings)) {
    if (existsSync(path + suffix)) {
      encodings.set(coding, readFileSync(path + suffix));
    }
  }
  if (!encodings.has('gzip') || statSync(path).size <= LARGEST_PLAIN_BYTES) {
    encodings.set('identity', readFileSync(path));
  }
  const contentType = contentTypes[extname(path)] ?? 'application/octet-stream';
  return { contentType, encodings, hashed: path.includes(`${sep}assets${sep}`) };
}

/** The smallest form of a file that the client accepts (Accept-Encoding). */
export function chooseEncoding(
  { encodings }: ConsoleFile,
  accepted: string | undefined,
): [coding: string, content: Buffer] {
  const refused = (coding: string) => new RegExp(`\\b${coding}\\s*;\\s*q=0(\\.0*)?\\s*(,|$)`, 'i').test(accepted ?? '');
  for (const coding of ['br', 'gzip']) {
    const content = encodings.get(coding);
    if (content !== undefined && accepted?.toLowerCase().includes(coding) === true && !refused(coding)) {
      return [coding, content];
    }
  }
  return ['identity', encodings.get('identity') ?? gunzipSync(encodings.get('gzip')!)];
}
