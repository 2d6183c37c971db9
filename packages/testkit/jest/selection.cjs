// Which test files this run has, and what they need: a run of one file starts only what that file uses.
const { existsSync, readFileSync } = require('node:fs');
const { dirname, join, resolve } = require('node:path');

const testkit = resolve(__dirname, '../src');
/** Modules that tell what the files that import them need. */
const SERVERS = /testkit\/src\/(servers|database)\.ts$/;
const STACK = /testkit\/src\/test-stack\.ts$/;
const PROGRAMS = /\/(softphone|web-phone|console|asterisk)\/|testkit\/src\/test-stack\.ts$/;
const IMPORT = /^(?:import|export) (?!type )[^;]*?from '([^']+)'/gm;

let selected = [];

/** Called by the sequencer, which jest asks before any global set-up. */
function remember(tests) {
  selected = tests.map(({ path, context }) => ({ path, project: context.config.displayName?.name }));
}

/** The files of this run that belong to a project and import, directly or not, a module whose path matches. */
function filesThatImport(project, pattern) {
  const known = new Map();
  return selected
    .filter((test) => test.project === project)
    .map(({ path }) => path)
    .filter((path) => imports(path, pattern, known));
}

/** The number of files in this run, of all projects: jest shares its workers among them. */
function countOfFiles() {
  return selected.length;
}

function imports(path, pattern, known) {
  if (known.has(path)) return known.get(path);
  known.set(path, false);
  const found = importedBy(path).some((each) => pattern.test(each) || imports(each, pattern, known));
  known.set(path, found);
  return found;
}

/** Follows relative imports and those of this package; no other package starts anything for a test. */
function importedBy(path) {
  return [...readFileSync(path, 'utf8').matchAll(IMPORT)]
    .map(([, name]) => name)
    .filter((name) => name.startsWith('.') || name.startsWith('@sabia/testkit/'))
    .map((name) => (name.startsWith('.') ? join(dirname(path), name) : name.replace('@sabia/testkit', testkit)))
    .map((name) => `${name}.ts`)
    .filter((file) => existsSync(file));
}

module.exports = { remember, filesThatImport, countOfFiles, SERVERS, STACK, PROGRAMS };
