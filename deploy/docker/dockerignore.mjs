// Lists the files of a folder that .dockerignore does not exclude.
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** Paths relative to the folder, in no order. */
export function listContext(folder) {
  const rules = readFileSync(join(folder, '.dockerignore'), 'utf8')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => ({ isException: line.startsWith('!'), segments: line.replace(/^!/, '').split('/') }));
  const files = [];
  const walk = (parent) => {
    for (const entry of readdirSync(join(folder, ...parent), { withFileTypes: true })) {
      const path = [...parent, entry.name];
      const isIgnored = rules.findLast(({ segments }) => covers(segments, path))?.isException === false;
      const mayHoldExceptions = rules.some(({ isException, segments }) => isException && leadsTo(path, segments));
      if (!entry.isDirectory()) {
        if (!isIgnored) files.push(path.join('/'));
      } else if (!isIgnored || mayHoldExceptions) walk(path);
    }
  };
  walk([]);
  return files;
}

/** A rule is about a path and all that is below it. */
function covers(segments, path) {
  if (segments[0] === '**') return path.some((name) => matches(segments[1], name));
  return segments.length <= path.length && segments.every((segment, index) => matches(segment, path[index]));
}

function leadsTo(path, segments) {
  return path.length < segments.length && path.every((name, index) => matches(segments[index], name));
}

function matches(pattern, name) {
  const expression = pattern.replaceAll(/[.+^${}()|[\]\\]/g, String.raw`\$&`).replaceAll('*', '.*');
  return new RegExp(`^${expression}$`).test(name);
}
